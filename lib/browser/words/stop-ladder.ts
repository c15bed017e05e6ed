import type { CallRow, Timeline, TimelineRow, ToolRow } from '../../events/fold-timeline.ts';

/** One rung of a stop, with when it was reached. */
export interface StopRung {
  readonly id: 'asked' | 'forced' | 'acknowledged' | 'idle' | 'over';
  readonly label: string;
  /** Milliseconds since 1970; `undefined`: not yet. */
  readonly at: number | undefined;
}

/**
 * What became of a request to stop, rung by rung, as the log shows it: asked, the step in hand over (its connection to Ollama
 * closed, its tool ended), Ollama idle where it could be verified, the run over. Pure.
 *
 * @returns `undefined` when nobody asked
 */
export function stopLadder({ rows }: Pick<Timeline, 'rows'>): StopRung[] | undefined {
  const stops = rows.flatMap((row) => (row.kind === 'stop' ? [row] : []));
  const [first] = stops;
  if (!first) return undefined;
  const forced = stops.find((row) => row.event.force);
  const end = rows.at(-1);
  const endedAt = end?.kind === 'end' ? end.at : undefined;
  // The step in hand stands before the request, but for those that began after a soft one.
  const step = rows.findLast((row) => isStep(row) && (overAt(row) ?? first.at) >= first.at);
  const over = step && isStep(step) ? { label: overWords(step), at: overAt(step) } : undefined;
  // The event is written once the server has been asked: the connection was closed that much earlier.
  const { server_idle_ms: idle, freed_slot: freed } = (step?.kind === 'call' && step.failed) || {};
  return [
    { id: 'asked', label: first.event.force ? 'Stop now asked' : 'Stop asked', at: first.at },
    ...(forced && forced !== first
      ? [{ id: 'forced' as const, label: 'Stop now asked', at: forced.at }]
      : []),
    ...(over
      ? [
          {
            id: 'acknowledged' as const,
            label: over.label,
            at: over.at === undefined ? undefined : over.at - (idle ?? 0),
          },
        ]
      : []),
    ...(over?.at !== undefined && idle !== undefined
      ? [
          {
            id: 'idle' as const,
            label: freed ? 'Ollama’s slot freed by unloading' : 'Ollama idle, by /api/ps',
            at: over.at,
          },
        ]
      : []),
    { id: 'over', label: 'Run over', at: endedAt },
  ];
}

function isStep(row: TimelineRow): row is CallRow | ToolRow {
  return row.kind === 'call' || (row.kind === 'tool' && row.startedAt !== undefined);
}

function overAt(row: CallRow | ToolRow): number | undefined {
  if (row.kind === 'call') return row.failed?.at ?? row.ended?.at;
  return row.durationMs === undefined || row.startedAt === undefined
    ? undefined
    : row.startedAt + row.durationMs;
}

function overWords(row: CallRow | ToolRow): string {
  if (row.kind === 'tool') return row.status === 'running' ? `${row.name} is ending` : `${row.name} ended`;
  if (row.failed?.kind === 'aborted') return 'Connection to Ollama closed';
  return row.status === 'open' ? 'Reply in hand' : 'Reply finished';
}
