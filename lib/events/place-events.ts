import type { NewEvent, RunEvent } from './registry.ts';
import type { RunState } from './run-state.ts';

/**
 * Numbers events after the last event of a run's log.
 *
 * @param now milliseconds since 1970; an event is never dated before its predecessor, whatever the clocks of the
 *   processes say
 */
export function placeEvents(
  { runId, seq, updatedAt }: Pick<RunState, 'runId' | 'seq' | 'updatedAt'>,
  events: readonly NewEvent[],
  now: number,
): RunEvent[] {
  const at = Math.max(now, updatedAt);
  return events.map((event, index) => {
    // The position comes first, as in the stored JSON, and replaces that of a copied event.
    const placed = { run_id: runId, seq: 0, at, ...event };
    placed.run_id = runId;
    placed.seq = seq + index + 1;
    placed.at = at;
    return placed;
  });
}
