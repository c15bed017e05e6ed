import type { RunState } from './run-state.ts';

/**
 * How long a worker had the run, in milliseconds, as far as its log tells. The last look at the budget was measured with
 * a clock that nobody can set; from there on the dates of events count, so that a clock that was set forward is
 * believed for one iteration at most.
 *
 * @param until milliseconds since 1970, not before the last event
 */
export function workedMs(state: RunState, until: number): number {
  const { budget, startedAt, resumedAt, lostMs } = state;
  if (startedAt === undefined) return 0;
  const checked = budget && budget.at >= (resumedAt ?? startedAt) ? budget : undefined;
  const worked = checked ? checked.seconds_used * 1000 + until - checked.at : until - startedAt - lostMs;
  return Math.max(0, worked);
}
