import { z } from 'zod';
import { envelope } from './envelope.ts';

/** The conversation reached the share at which it is handed over, so the model is asked for a summary. */
export const handoverStarted = z.object({
  ...envelope,
  type: z.literal('handover.started'),
  /** The last iteration. */
  iteration: z.int().nonnegative(),
  /** Size of the conversation, and its limit. */
  tokens: z.int().nonnegative(),
  limit_tokens: z.int().positive(),
  /** Whether `tokens` was measured by the server, apart from the latest messages, or estimated. */
  measured: z.boolean(),
  /** The request for the summary, a user message. */
  text: z.string().min(1),
});

/**
 * The handover is over. `done`: the conversation is now the system prompt and `text`, a user message with the summary.
 * `failed`: the model wrote none, and the conversation is as it was before the request.
 */
export const handoverEnded = z.object({
  ...envelope,
  type: z.literal('handover.ended'),
  iteration: z.int().nonnegative(),
  outcome: z.enum(['done', 'failed']),
  text: z.string().optional(),
});
