import type { TerminationReason, VerificationOutcome } from '../events/termination.ts';
import type { CheckResult } from '../events/verification.ts';
import type { ReadyState } from './rule.ts';

/** Reasons after which verification is pointless or unwanted. */
const UNVERIFIED: ReadonlySet<TerminationReason> = new Set(['stopped', 'error']);
/** Reasons that rule out another attempt. */
const LAST: ReadonlySet<TerminationReason> = new Set([...UNVERIFIED, 'budget_exceeded']);

/**
 * The outcome of an attempt's checks (V8). A run that a guard ended, or whose answer was cut off, passes at most
 * partially: the model never said that it was finished.
 */
export function outcomeOfChecks(
  checks: readonly Pick<CheckResult, 'passed'>[],
  { reason, cut }: { reason: TerminationReason; cut: boolean },
): VerificationOutcome {
  const passed = checks.filter((check) => check.passed).length;
  if (passed === checks.length) return reason === 'final_answer' && !cut ? 'pass' : 'partial_pass';
  return passed > 0 ? 'partial_pass' : 'fail';
}

/** Whether the current attempt is verified before anything else (V5, V9). */
export function isVerified(state: ReadyState, reason: TerminationReason): boolean {
  return (
    state.config.checks.length > 0 && state.iteration > 0 && !state.stop?.force && !UNVERIFIED.has(reason)
  );
}

/** Whether another attempt follows the last verified one: a check failed and attempts are left (V5, V7). */
export function mayTryAgain(state: ReadyState): boolean {
  const last = state.attempts.at(-1);
  if (!last || state.stop) return false;
  const failed = last.checks.some((check) => !check.passed);
  return failed && state.attempt < state.config.max_attempts && !LAST.has(last.reason);
}
