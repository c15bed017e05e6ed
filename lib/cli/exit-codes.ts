import type { OutcomeKind } from '../events/termination.ts';

/**
 * Exit codes that do not depend on a run's outcome. 69 and 77 are from sysexits.h, 141 is what a shell reports for
 * SIGPIPE.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 69,
  notSignedIn: 77,
  outputClosed: 141,
} as const;

/** The exit code of each outcome: 0 only for a complete answer that fits its schema and whose checks pass, if it has any. */
const OF_OUTCOME: Record<OutcomeKind, number> = {
  answered: 0,
  cycles_done: 0,
  max_iterations: 10,
  repetition: 11,
  stall: 12,
  nudge_exhausted: 13,
  budget_exceeded: 14,
  timeout: 15,
  context_full: 16,
  stopped: 17,
  error: 18,
  answered_checks_failed: 19,
  answered_cut_off: 20,
  announced_work_did_none: 21,
  answered_off_schema: 22,
};

/**
 * The exit code for the outcome of an ended run; 1 for one that only a later version has. A session that ends with its
 * input exits with 0 although it is stopped then.
 */
export function exitCodeOf(outcome: OutcomeKind): number {
  return OF_OUTCOME[outcome] ?? EXIT.failed;
}
