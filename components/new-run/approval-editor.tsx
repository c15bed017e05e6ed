'use client';

import type { ToolsReply } from '#lib/api/tools.ts';
import {
  addedToolsOf,
  approvalChoices,
  approvalTools,
  type CommandPlace,
} from '#lib/browser/drafts/run-draft.ts';
import type { ApprovalChoice } from '#lib/events/approval-choices.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { cx } from '../ui/cx.ts';
import { Section } from '../ui/form/fields.tsx';
import { useDraftField } from './run-form.ts';

const WORDS: Record<ApprovalChoice, string> = { auto: 'Allow', ask: 'Ask me', deny: 'Deny' };

const NOTES: Partial<Record<CommandPlace, string>> = {
  unconfined: 'Commands run unconfined here, so each one needs your approval.',
  off: 'Commands cannot be confined here, so run_command is unavailable.',
};

/** One rule per available tool: its calls run, need approval, or are denied. Empty without such a tool. */
export function ApprovalFields({ commands }: { commands: CommandPlace }) {
  const kind = useDraftField('kind').value;
  const { value, set: onChange } = useDraftField('approval');
  const withheldTools = useDraftField('withheldTools').value;
  const addedTools = useDraftField('addedTools').value;
  const { data } = useApi<ToolsReply>('/api/tools', ON_RETURN);
  const added = addedToolsOf({ kind, addedTools });
  const unasked = new Set(
    data?.servers.flatMap((server) => server.tools.flatMap((tool) => (tool.unasked ? tool.name : []))),
  );
  const tools = [...approvalTools({ kind, withheldTools }, commands), ...added];
  if (tools.length === 0) return null;
  const usual = (tool: string): ApprovalChoice | undefined =>
    added.includes(tool) ? (unasked.has(tool) ? 'auto' : 'ask') : undefined;
  return (
    <Section title="Approval" hint="Which calls wait for you">
      <div className="grid gap-2">
        {tools.map((tool) => (
          <div
            key={tool}
            role="radiogroup"
            aria-label={`Calls of ${tool}`}
            className={cx(
              'grid items-center gap-x-4 gap-y-1',
              added.length > 0 ? 'sm:grid-cols-[16rem_minmax(0,1fr)]' : 'sm:grid-cols-[9rem_minmax(0,1fr)]',
            )}
          >
            <code className="min-w-0 text-sm break-all">{tool}</code>
            <div className="flex flex-wrap gap-1.5">
              {approvalChoices(tool, commands).map((choice, _, choices) => {
                const set = value[tool] ?? usual(tool);
                const chosen = choice === (set && choices.includes(set) ? set : choices[0]);
                return (
                  <label
                    key={choice}
                    className={cx(
                      'rounded-md border px-2.5 py-1 text-sm font-medium has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass',
                      chosen
                        ? 'border-brass bg-brass-wash'
                        : 'border-line-strong bg-raised hover:border-ink-3',
                    )}
                  >
                    <input
                      type="radio"
                      name={`approval-${tool}`}
                      className="sr-only"
                      checked={chosen}
                      onChange={() => onChange({ ...value, [tool]: choice })}
                    />
                    {WORDS[choice]}
                  </label>
                );
              })}
            </div>
          </div>
        ))}
        {NOTES[commands] && <p className="text-xs text-ink-3">{NOTES[commands]}</p>}
      </div>
    </Section>
  );
}
