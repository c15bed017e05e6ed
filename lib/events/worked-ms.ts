import type { RunState } from './run-state.ts';

/**
 * How long workers held the run, in milliseconds, according to its log. The last budget check was measured with a
 * monotonic clock; after it, event timestamps count, so that a clock set forward affects at most one iteration.
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
