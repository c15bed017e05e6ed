import { z } from 'zod';
import { check } from './check.ts';
import { envelope } from './envelope.ts';
import { terminationReason } from './termination.ts';

/** An attempt ended and its work is about to be checked (V5, V9). */
export const verificationStarted = z.object({
  ...envelope,
  type: z.literal('verification.started'),
  attempt: z.int().positive(),
  reason: terminationReason,
  /** The attempt's last text: its answer, or the last text before a guard ended it. */
  output: z.string(),
});

const checkResult = z.object({
  check,
  passed: z.boolean(),
  /** The check's output, at most 4000 characters; quoted in the corrective prompt (V6). */
  output: z.string(),
  duration_ms: z.number().nonnegative(),
});

export const verificationChecked = z.object({
  ...envelope,
  type: z.literal('verification.checked'),
  attempt: z.int().positive(),
  outcome: z.enum(['pass', 'partial_pass', 'fail']),
  checks: z.array(checkResult),
});
export type CheckResult = z.infer<typeof checkResult>;
