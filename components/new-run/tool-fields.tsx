'use client';

import type { OfferableTool, ServerTools, ToolsReply } from '#lib/api/tools.ts';
import { offersServers } from '#lib/api/tools.ts';
import { type CommandPlace, offeredTools } from '#lib/browser/drafts/run-draft.ts';
import { toolCost, toolSummary } from '#lib/browser/words/tool-words.ts';
import { FETCH_TOOL, isOptionalTool, OPTIONAL_TOOLS } from '#lib/events/added-tools.ts';
import { kindFacts, modeAndTools } from '#lib/events/modes.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Section } from '../ui/form/fields.tsx';
import { HostsField } from '../ui/form/hosts-field.tsx';
import { ServerChoice } from '../ui/form/server-choice.tsx';
import { ToolChoice } from '../ui/form/tool-choice.tsx';
import { useDraftDefaults, useDraftField } from './run-form.ts';

const NO_SERVERS: readonly ServerTools[] = [];

/** Which tools the model gets, and how much of the window their definitions take. Empty for a single answer. */
export function ToolFields({ commands }: { commands: CommandPlace }) {
  const kind = useDraftField('kind').value;
  const { value: withheldTools, set, problem } = useDraftField('withheldTools');
  const { value: chosen, set: setChosen } = useDraftField('addedTools');
  const hosts = useDraftField('fetch_hosts');
  const window = useDraftField('window_tokens').value;
  const defaults = useDraftDefaults();
  const { data } = useApi<ToolsReply>('/api/tools', ON_RETURN);
  const { mode } = modeAndTools(kind);
  const known = data?.tools[mode] ?? [];
  const tools = kindFacts(kind).tools.filter((tool) => !(commands === 'off' && tool === 'run_command'));
  if (tools.length === 0) return null;
  const optional: readonly string[] = offersServers(mode) ? OPTIONAL_TOOLS : [];
  const servers = offersServers(mode) ? (data?.servers ?? NO_SERVERS) : NO_SERVERS;
  const offered = offeredTools({ kind, withheldTools });
  const all: readonly OfferableTool[] = [...known, ...servers.flatMap((server) => server.tools)];
  return (
    <Section title="Tools" hint="Small models work better with few tools">
      <ToolChoice
        tools={[...tools, ...optional].map((name) => ({ name, summary: toolSummary(known, name) }))}
        chosen={[...offered, ...chosen]}
        onChange={(name, isChosen) => {
          if (isOptionalTool(name)) setChosen(withOrWithout(chosen, name, isChosen));
          else set(withOrWithout(withheldTools, name, !isChosen));
        }}
      />
      {optional.includes(FETCH_TOOL) && chosen.includes(FETCH_TOOL) && (
        <HostsField value={hosts.value} onChange={hosts.set} problem={hosts.problem} />
      )}
      {servers.map((server) => (
        <ServerChoice key={server.server} server={server} chosen={chosen} onChange={setChosen} />
      ))}
      {offersServers(mode) && data?.problems.map((each) => <ErrorNote key={each.code} error={each} />)}
      <Missing
        servers={data?.problems.length === 0 ? servers : undefined}
        chosen={offersServers(mode) ? chosen : []}
        onChange={setChosen}
      />
      {problem ? (
        <p className="text-xs text-fail">{problem}</p>
      ) : (
        known.length > 0 && (
          <p className="tnum text-xs text-ink-3">
            {toolCost(all, [...offered, ...chosen], Number(window) || defaults.window_tokens)}
          </p>
        )
      )}
    </Section>
  );
}

function withOrWithout(names: readonly string[], name: string, isIn: boolean): readonly string[] {
  return isIn ? [...names, name] : names.filter((each) => each !== name);
}

/** Chosen tools, of a former run or a preset, that no enabled server has. */
function Missing({
  servers,
  chosen,
  onChange,
}: {
  servers: readonly ServerTools[] | undefined;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const names = new Set(servers?.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const missing = servers ? chosen.filter((name) => !names.has(name) && !isOptionalTool(name)) : [];
  if (missing.length === 0) return null;
  return (
    <p className="text-sm text-warn">
      {missing.join(', ')}: no custom tool and no accepted tool of an enabled server has this name.{' '}
      <button
        type="button"
        className="reach font-medium text-brass underline decoration-brass-line underline-offset-2"
        onClick={() => onChange(chosen.filter((name) => !missing.includes(name)))}
      >
        Leave them out
      </button>
    </p>
  );
}
