import type { TerminationReason } from '../events/run.ts';
import type { CheckResult } from '../events/verification.ts';
import type { ReadyState } from './rule.ts';

export type VerificationOutcome = 'pass' | 'partial_pass' | 'fail';

/** Reasons after which there is nothing to check, or nobody who wants it checked. */
const UNVERIFIED: ReadonlySet<TerminationReason> = new Set(['stopped', 'error']);
/** Reasons after which another attempt cannot or must not be made. */
const LAST: ReadonlySet<TerminationReason> = new Set([...UNVERIFIED, 'budget_exceeded']);

/**
 * The outcome of an attempt's checks (V8). A run that a guard ended passes at most in part: what exists is right, but
 * the model never said that it was all.
 */
export function verificationOutcome(
  checks: readonly Pick<CheckResult, 'passed'>[],
  reason: TerminationReason,
): VerificationOutcome {
  const passed = checks.filter((check) => check.passed).length;
  if (passed === checks.length) return reason === 'final_answer' ? 'pass' : 'partial_pass';
  return passed > 0 ? 'partial_pass' : 'fail';
}

/** Whether the work of the attempt in hand is checked before anything else (V5, V9). */
export function isVerified(state: ReadyState, reason: TerminationReason): boolean {
  return (
    state.config.checks.length > 0 && state.iteration > 0 && !state.stop?.force && !UNVERIFIED.has(reason)
  );
}

/** Whether a further attempt follows the one that was checked last: some check failed, and attempts are left (V5, V7). */
export function mayTryAgain(state: ReadyState): boolean {
  const last = state.attempts.at(-1);
  if (!last || state.stop) return false;
  const failed = last.checks.some((check) => !check.passed);
  return failed && state.attempt < state.config.max_attempts && !LAST.has(last.reason);
}
