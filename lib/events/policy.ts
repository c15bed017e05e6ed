import { z } from 'zod';
import { envelope } from './envelope.ts';

/** The model was told to act (G12). A plan is kept as its message before the nudge; an empty reply is not (G16). */
export const policyNudged = z.object({
  ...envelope,
  type: z.literal('policy.nudged'),
  iteration: z.int().positive(),
  cause: z.enum(['empty', 'plan', 'malformed']),
  text: z.string(),
  count: z.int().positive(),
  limit: z.int().nonnegative(),
});

/**
 * A reply or a failed call is set aside and the same messages are sent again; costs no iteration (G4, T21, T22).
 * `thinking`: from now on without thinking, which the model cannot do.
 */
export const policyRetried = z.object({
  ...envelope,
  type: z.literal('policy.retried'),
  /** 0 while server and model are being prepared. */
  iteration: z.int().nonnegative(),
  cause: z.enum(['length', 'malformed', 'transient', 'overflow', 'thinking']),
  message: z.string(),
  /** Pause before the next try, in milliseconds. */
  wait_ms: z.int().nonnegative(),
});

/** Older results are sent in a shorter form from now on (C3, C6). The log keeps the whole ones (C5). */
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
      kind: z.enum(['one-line', 'head-and-tail']),
      before_chars: z.int().nonnegative(),
      content: z.string(),
    }),
  ),
});

/** Something a reader should know that changes nothing: a smaller window, an answer that was cut, a loud mismatch. */
export const policyWarned = z.object({
  ...envelope,
  type: z.literal('policy.warned'),
  code: z.string(),
  message: z.string(),
  iteration: z.int().positive().optional(),
  /** Figures for programs: `agentic_repetition_stop` brings `task_id`, `iteration`, `repeated_calls` (G19). */
  detail: z.record(z.string(), z.json()).optional(),
});

/** The budget before an iteration (V1). */
export const budgetChecked = z.object({
  ...envelope,
  type: z.literal('budget.checked'),
  iteration: z.int().positive(),
  tokens_used: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
  seconds_used: z.number().nonnegative(),
  exceeded: z.enum(['tokens', 'cost', 'seconds']).optional(),
});
