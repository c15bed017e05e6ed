import type { CallRow, Timeline, TimelineRow, ToolRow } from '../../events/fold-timeline.ts';

/** One rung of a stop, with when it was reached. */
export interface StopRung {
  readonly id: 'asked' | 'forced' | 'acknowledged' | 'idle' | 'freed' | 'over';
  readonly label: string;
  /** Milliseconds since 1970; `undefined`: not yet. */
  readonly at: number | undefined;
}

/**
 * What became of a request to stop, rung by rung, each with the time that the log has for it: stop asked, the step in hand
 * over (its connection to Ollama closed, its tool ended), Ollama idle where that was seen, its slot freed where it was lost,
 * the run over. Pure.
 *
 * @returns `undefined` when nobody asked
 */
export function stopLadder({ rows }: Pick<Timeline, 'rows'>): StopRung[] | undefined {
  const stops = rows.flatMap((row) => (row.kind === 'stop' ? [row] : []));
  const [first] = stops;
  if (!first) return undefined;
  const forced = stops.find((row) => row.event.force);
  const end = rows.at(-1);
  // The step in hand stands before the request, but for those that began after a soft one.
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

/** The end of the step in hand, and what became of its slot at Ollama. */
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
