import { z } from 'zod';
import { check, rubricCheck } from './check.ts';
import { amount, envelope, errorShape } from './envelope.ts';
import { terminationReason, verificationOutcome } from './termination.ts';

/** An attempt ended and its work is about to be checked (V5, V9). */
export const verificationStarted = z.object({
  ...envelope,
  type: z.literal('verification.started'),
  attempt: z.int().positive(),
  reason: terminationReason,
  /** The attempt's last text: its answer, or the last text before a guard ended it. */
  output: z.string(),
  /** The failure that ended the attempt, such as a timeout. Missing in older logs. */
  error: errorShape.optional(),
});

const checkResult = z.object({
  check,
  passed: z.boolean(),
  /** The check's output, at most 4000 characters; quoted in the corrective prompt (V6). */
  output: z.string(),
  duration_ms: amount,
});

/** A model's opinion of an answer. It affects neither the outcome nor whether another attempt follows. */
const opinion = z.object({
  check: rubricCheck,
  /**
   * The judging model, with the exact prompt and its unmodified reply. Missing if it was not called or did not reply.
   */
  model: z.string(),
  prompt: z.string().optional(),
  reply: z.string().optional(),
  verdict: z.enum(['pass', 'fail']).optional(),
  /** The model's reason, or why there is no verdict. */
  reason: z.string(),
  duration_ms: amount,
});
export type Opinion = z.infer<typeof opinion>;

export const verificationChecked = z.object({
  ...envelope,
  type: z.literal('verification.checked'),
  attempt: z.int().positive(),
  outcome: verificationOutcome,
  checks: z.array(checkResult),
  /** Missing without a rubric, and in older logs. */
  opinions: z.array(opinion).optional(),
  /** How long the run waited for a slot before its judges were asked; not included in their `duration_ms`. Missing without a wait. */
  waited_ms: amount.optional(),
});
export type CheckResult = z.infer<typeof checkResult>;
