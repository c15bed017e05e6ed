import type { TerminationReason } from '../events/run.ts';

/** Exit codes that do not come from the end of a run. 69 and 77 are those of sysexits.h. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 69, notSignedIn: 77 } as const;

/** What a script can tell from the exit code: how the run ended. */
const OF_REASON: Record<TerminationReason, number> = {
  final_answer: 0,
  max_iterations: 10,
  repetition: 11,
  stall: 12,
  nudge_exhausted: 13,
  budget_exceeded: 14,
  timeout: 15,
  context_full: 16,
  stopped: 17,
  error: 18,
};
/** The model answered, and the checks of its work do not all pass. */
const CHECKS_FAILED = 19;

/** The exit code for the end of a run: 0 only for an answer whose checks, if any, pass. */
export function exitCodeOf(end: { reason: TerminationReason; verification?: string }): number {
  if (end.reason === 'final_answer' && end.verification !== undefined && end.verification !== 'pass') {
    return CHECKS_FAILED;
  }
  return OF_REASON[end.reason];
}
