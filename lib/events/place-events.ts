import type { NewEvent, RunEvent } from './registry.ts';
import type { RunState } from './run-state.ts';

/**
 * Gives events their places after the last event of a run's log.
 *
 * @param now milliseconds since 1970; an event is never dated before the one that precedes it, whatever the clocks of the
 *   processes say
 */
export function placeEvents(
  { runId, seq, updatedAt }: Pick<RunState, 'runId' | 'seq' | 'updatedAt'>,
  events: readonly NewEvent[],
  now: number,
): RunEvent[] {
  const at = Math.max(now, updatedAt);
  return events.map((event, index) => {
    // The place comes first, as in the JSON that is stored and sent, and replaces the one that a copied event had.
    const placed = { run_id: runId, seq: 0, at, ...event };
    placed.run_id = runId;
    placed.seq = seq + index + 1;
    placed.at = at;
    return placed;
  });
}
