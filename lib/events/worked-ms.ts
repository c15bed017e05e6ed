import { isWaiting, type RunPhase } from './run-phase.ts';

/** The times in a run's state, in milliseconds and in milliseconds since 1970. */
interface RunTimes {
  readonly startedAt: number | undefined;
  readonly resumedAt: number | undefined;
  readonly lostMs: number;
  readonly waitedMs: number;
  readonly waitingSince: number | undefined;
  readonly waitedAtCheck: number;
  readonly budget: { readonly at: number; readonly seconds_used: number } | undefined;
}

type Waits = Pick<RunTimes, 'waitedMs' | 'waitingSince'>;

/**
 * How long workers held the run, in milliseconds, according to its log, without the time it waited for the operator or
 * the model server.
 * The last budget check was measured with a monotonic clock; after it, event timestamps count, so that a clock set
 * forward affects at most one iteration.
 *
 * @param until milliseconds since 1970, not before the last event
 */
export function workedMs(state: RunTimes, until: number): number {
  const { budget, startedAt, resumedAt, lostMs, waitedAtCheck } = state;
  if (startedAt === undefined) return 0;
  const waited = waitedMs(state, until);
  const checked = budget && budget.at >= (resumedAt ?? startedAt) ? budget : undefined;
  const worked = checked
    ? checked.seconds_used * 1000 + until - checked.at - (waited - waitedAtCheck)
    : until - startedAt - lostMs - waited;
  return Math.max(0, worked);
}

/**
 * How long the run waited for the operator or the model server, in milliseconds. This is neither run time nor part of a time budget.
 *
 * @param until milliseconds since 1970
 */
export function waitedMs({ waitedMs: closed, waitingSince }: Waits, until: number): number {
  return closed + Math.max(0, until - (waitingSince ?? until));
}

/** The wait after an event, which begins and ends with the phase. */
export function waitAfter(next: Waits & { readonly phase: RunPhase }, at: number): Waits {
  return isWaiting(next.phase)
    ? { waitedMs: next.waitedMs, waitingSince: next.waitingSince ?? at }
    : { waitedMs: waitedMs(next, at), waitingSince: undefined };
}
