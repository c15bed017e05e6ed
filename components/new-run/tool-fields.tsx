'use client';

import type { ToolsReply } from '#lib/api/tools.ts';
import { type CommandPlace, offeredTools } from '#lib/browser/drafts/run-draft.ts';
import { toolCost, toolSummary } from '#lib/browser/words/tool-words.ts';
import { kindFacts, modeAndTools } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { Section } from '../ui/form/fields.tsx';
import { ToolChoice } from '../ui/form/tool-choice.tsx';
import { useDraftDefaults, useDraftField } from './run-form.ts';

/** Which built-in tools the model gets, and what their definitions take of the window. Nothing for a single answer. */
export function ToolFields({ commands }: { commands: CommandPlace }) {
  const kind = useDraftField('kind').value;
  const { value: withheldTools, set, problem } = useDraftField('withheldTools');
  const window = useDraftField('window_tokens').value;
  const defaults = useDraftDefaults();
  const { data } = useApi<ToolsReply>('/api/tools');
  const known = data?.tools[modeAndTools(kind).mode] ?? [];
  const tools = kindFacts(kind).tools.filter((tool) => !(commands === 'off' && tool === 'run_command'));
  if (tools.length === 0) return null;
  const offered = offeredTools({ kind, withheldTools });
  return (
    <Section title="Tools" hint="Small models choose better among few">
      <ToolChoice
        tools={tools.map((name) => ({ name, summary: toolSummary(known, name) }))}
        chosen={offered}
        onChange={(name, isChosen) =>
          set(isChosen ? withheldTools.filter((each) => each !== name) : [...withheldTools, name])
        }
      />
      {problem ? (
        <p className="text-xs text-fail">{problem}</p>
      ) : (
        known.length > 0 && (
          <p className="tnum text-xs text-ink-3">
            {toolCost(known, offered, Number(window) || defaults.window_tokens)}
          </p>
        )
      )}
    </Section>
  );
}
