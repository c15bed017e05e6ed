import { z } from 'zod';
import { envelope } from './envelope.ts';
import { imageRefs } from './image.ts';

/** The operator sent a message. It stays queued until the model reads it or the run ends; it is never lost. */
export const operatorMessaged = z.object({
  ...envelope,
  type: z.literal('operator.messaged'),
  /** `m1`, `m2`, … within the run. */
  message_id: z.string(),
  text: z.string().min(1),
  images: imageRefs.optional(),
});

/** Operator messages joined the conversation, as a user message or in the result of a tool call (O14). */
export const operatorDelivered = z.object({
  ...envelope,
  type: z.literal('operator.delivered'),
  message_ids: z.array(z.string()).min(1),
  as: z.enum(['user-message', 'tool-result']),
  /** The call whose result contains them. */
  call_id: z.string().optional(),
});

/** The model sent the operator a message (O14). */
export const agentMessaged = z.object({
  ...envelope,
  type: z.literal('agent.messaged'),
  call_id: z.string(),
  cycle: z.int().nonnegative(),
  text: z.string(),
});
