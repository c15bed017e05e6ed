import type { CallRow, Timeline, TimelineRow, ToolRow } from '../../events/timeline.ts';

/** One stage of a stop, with the time it was reached. */
export interface StopRung {
  readonly id: 'asked' | 'forced' | 'acknowledged' | 'idle' | 'freed' | 'over';
  readonly label: string;
  /** Milliseconds since 1970; `undefined`: not yet. */
  readonly at: number | undefined;
}

/**
 * The progress of a stop request, with times from the log: stop requested, current step ended (connection to Ollama
 * closed, tool ended), Ollama idle if reported, slot freed if it was leaked, run ended. Pure.
 *
 * @returns `undefined` if no stop was requested; in a fork, a stop of its source run does not count
 */
export function stopLadder({ rows: all }: Pick<Timeline, 'rows'>): StopRung[] | undefined {
  const rows = all.slice(all.findLastIndex(({ kind }) => kind === 'forked') + 1);
  const stops = rows.flatMap((row) => (row.kind === 'stop' ? [row] : []));
  const [first] = stops;
  if (!first) return undefined;
  const forced = stops.find((row) => row.event.force);
  const end = rows.at(-1);
  // The current step started before the request, unless it started after a soft stop.
  const step = rows.findLast((row) => isStep(row) && (overAt(row) ?? first.at) >= first.at);
  return [
    { id: 'asked', label: first.event.force ? 'Immediate stop requested' : 'Stop requested', at: first.at },
    ...(forced && forced !== first
      ? [{ id: 'forced' as const, label: 'Immediate stop requested', at: forced.at }]
      : []),
    ...(step && isStep(step) ? stepRungs(step) : []),
    { id: 'over', label: 'Run ended', at: end?.kind === 'end' ? end.at : undefined },
  ];
}

/** The end of the current step, and what happened to its slot. */
function stepRungs(step: CallRow | ToolRow): StopRung[] {
  const at = overAt(step);
  const over: StopRung = { id: 'acknowledged', label: overWords(step), at };
  const failed = step.kind === 'call' ? step.failed : undefined;
  if (!failed || at === undefined) return [over];
  const { server_idle_ms: idleMs, freed_slot: freed } = failed;
  return [
    over,
    ...(idleMs === undefined
      ? []
      : [{ id: 'idle' as const, label: 'Ollama idle (/api/ps)', at: at + idleMs }]),
    ...(freed ? [{ id: 'freed' as const, label: 'Slot freed by unloading the model', at: failed.at }] : []),
  ];
}

function isStep(row: TimelineRow): row is CallRow | ToolRow {
  return row.kind === 'call' || (row.kind === 'tool' && row.startedAt !== undefined);
}

function overAt(row: CallRow | ToolRow): number | undefined {
  if (row.kind === 'call') return row.failed ? failedAt(row.failed) : row.ended?.at;
  return row.durationMs === undefined || row.startedAt === undefined
    ? undefined
    : row.startedAt + row.durationMs;
}

/** The event of a failed call is written after the cleanup. */
function failedAt({ at, cleanup_ms, server_idle_ms }: NonNullable<CallRow['failed']>): number {
  return at - (cleanup_ms ?? server_idle_ms ?? 0);
}

function overWords(row: CallRow | ToolRow): string {
  if (row.kind === 'tool') return row.status === 'running' ? `${row.name} is ending` : `${row.name} ended`;
  if (row.failed?.error.code === 'model_call_abandoned') return 'Model call abandoned';
  if (row.failed?.kind === 'aborted') return 'Connection to Ollama closed';
  return row.status === 'open' ? 'Reply in progress' : 'Reply finished';
}
