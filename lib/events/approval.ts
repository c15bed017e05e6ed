import { z } from 'zod';
import { envelope } from './envelope.ts';

const callArguments = z.record(z.string(), z.json());

/** A call waits for a person. It makes the reply part of the conversation, as the start of a call does (T12). */
export const approvalRequested = z.object({
  ...envelope,
  type: z.literal('approval.requested'),
  call_id: z.string(),
  iteration: z.int().positive(),
  tool: z.string(),
  /** As the model wrote them. */
  arguments: callArguments,
});

/**
 * What becomes of a call: decided once, by a person or, for a denial, by the run's own policy. A denied call never
 * starts; its `tool-call.ended` tells the model why.
 */
export const approvalDecided = z.object({
  ...envelope,
  type: z.literal('approval.decided'),
  call_id: z.string(),
  tool: z.string(),
  decision: z.enum(['approved', 'edited', 'denied']),
  /** What runs in place of the model's own, when edited. */
  arguments: callArguments.optional(),
  /** Why it was denied. */
  reason: z.string().optional(),
  by: z.enum(['operator', 'policy']),
});
