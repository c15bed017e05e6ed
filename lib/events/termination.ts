import { z } from 'zod';

/** Why a run ended: exactly one of these (G17). */
export const terminationReason = z.enum([
  'final_answer',
  'max_iterations',
  'repetition',
  'stall',
  'nudge_exhausted',
  'budget_exceeded',
  'timeout',
  'context_full',
  'stopped',
  'error',
]);
export type TerminationReason = z.infer<typeof terminationReason>;

/**
 * The outcome of a run, more specific than the reason if the model answered (decision 30). Every other reason is
 * also an outcome.
 */
export const outcomeKind = z.enum([
  'answered',
  'answered_checks_failed',
  'answered_cut_off',
  'answered_off_schema',
  'announced_work_did_none',
  'cycles_done',
  ...terminationReason.exclude(['final_answer']).options,
]);
export type OutcomeKind = z.infer<typeof outcomeKind>;

/** The result of an attempt's checks (V8): all passed, some, or none. */
export const verificationOutcome = z.enum(['pass', 'partial_pass', 'fail']);
export type VerificationOutcome = z.infer<typeof verificationOutcome>;

export const outcome = z.object({
  kind: outcomeKind,
  /** The checks after the last verified attempt; missing if there were none. */
  checks: z.object({ failed: z.int().nonnegative(), total: z.int().positive() }).optional(),
});
export type Outcome = z.infer<typeof outcome>;
