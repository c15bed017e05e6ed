import { z } from 'zod';
import { envelope } from './envelope.ts';

const callArguments = z.record(z.string(), z.json());

/**
 * A call waits for the operator's approval. As when a call starts, the reply becomes part of the conversation (T12).
 */
export const approvalRequested = z.object({
  ...envelope,
  type: z.literal('approval.requested'),
  call_id: z.string(),
  iteration: z.int().positive(),
  tool: z.string(),
  /** As written by the model. */
  arguments: callArguments,
});

/**
 * The decision on a call: made once, by the operator or, for a denial, by the run's policy. A denied call never
 * starts; its `tool-call.ended` tells the model why.
 */
export const approvalDecided = z.object({
  ...envelope,
  type: z.literal('approval.decided'),
  call_id: z.string(),
  tool: z.string(),
  decision: z.enum(['approved', 'edited', 'denied']),
  /** If edited: the arguments used instead of the model's. */
  arguments: callArguments.optional(),
  /** Why it was denied. */
  reason: z.string().optional(),
  by: z.enum(['operator', 'policy']),
});
