import { z } from 'zod';
import { amount, envelope, optionalCount } from './envelope.ts';
import { thinkSetting } from './setting-values.ts';

/**
 * The model was nudged to act (G12), or to give its answer as data. A plan or answer is kept as its message before the
 * nudge; an empty reply is not (G16).
 */
export const policyNudged = z.object({
  ...envelope,
  type: z.literal('policy.nudged'),
  iteration: z.int().positive(),
  /** `schema`: the answer does not fit the run's schema. */
  cause: z.enum(['empty', 'plan', 'malformed', 'schema']),
  /** Tokens of the reply that never arrived. */
  swallowed_tokens: optionalCount,
  text: z.string(),
  count: z.int().positive(),
  limit: z.int().nonnegative(),
});

/**
 * A reply or failed call is discarded and the same messages are sent again, at no cost in iterations (G4, T21, T22).
 * `thinking`: the model refused the `think` setting, and `think` is used from now on.
 */
export const policyRetried = z.object({
  ...envelope,
  type: z.literal('policy.retried'),
  /** 0 while preparing server and model. */
  iteration: z.int().nonnegative(),
  cause: z.enum(['length', 'malformed', 'transient', 'overflow', 'thinking']),
  /** Only with `thinking`. Missing in older logs, which mean `false`. */
  think: thinkSetting.optional(),
  message: z.string(),
  /** Delay before the next try, in milliseconds. */
  wait_ms: z.int().nonnegative(),
});

/** Older results are shortened in requests from now on (C3, C6). The log keeps the originals (C5). */
export const policyCompacted = z.object({
  ...envelope,
  type: z.literal('policy.compacted'),
  iteration: z.int().positive(),
  before_tokens: z.int().nonnegative(),
  after_tokens: z.int().nonnegative(),
  limit_tokens: z.int().positive(),
  folded: z.array(
    z.object({
      /** Index into the attempt's messages, from 0. */
      message: z.int().nonnegative(),
      /** `images`: only its images are left out. The others leave them out as well. */
      kind: z.enum(['one-line', 'head-and-tail', 'images']),
      before_chars: z.int().nonnegative(),
      content: z.string(),
    }),
  ),
});

/** A warning without effect on the run, such as a smaller window or a truncated answer. */
export const policyWarned = z.object({
  ...envelope,
  type: z.literal('policy.warned'),
  code: z.string(),
  message: z.string(),
  iteration: z.int().positive().optional(),
  /** Machine-readable details: `agentic_repetition_stop` has `task_id`, `iteration`, `repeated_calls` (G19). */
  detail: z.record(z.string(), z.json()).optional(),
});

/** The budget check before an iteration (V1). */
export const budgetChecked = z.object({
  ...envelope,
  type: z.literal('budget.checked'),
  iteration: z.int().positive(),
  tokens_used: z.int().nonnegative(),
  /** How many of these are estimates; missing if none. */
  tokens_estimated: optionalCount,
  cost_usd: amount.optional(),
  seconds_used: amount,
  exceeded: z.enum(['tokens', 'cost', 'seconds']).optional(),
});
