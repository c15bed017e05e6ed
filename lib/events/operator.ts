import { z } from 'zod';
import { amount, envelope, optionalCount } from './envelope.ts';
import { imageRefs } from './image.ts';

/** The operator sent a message. It stays queued until the model reads it or the run ends; it is never lost. */
export const operatorMessaged = z.object({
  ...envelope,
  type: z.literal('operator.messaged'),
  /** `m1`, `m2`, … within the run. */
  message_id: z.string(),
  text: z.string().min(1),
  images: imageRefs.optional(),
  /** Of the request that sent it: a repeated request does not send it again. */
  idempotency_key: z.string().optional(),
  /** The policy that wrote it as the answer to a call; missing if a person did. */
  by: z.enum(['fixed', 'list', 'model']).optional(),
  call_id: z.string().optional(),
});

/** The model that answers in place of the operator is called with exactly these messages. */
export const operatorCallStarted = z.object({
  ...envelope,
  type: z.literal('operator-call.started'),
  /** The agent's call that sent the message. */
  call_id: z.string(),
  model: z.string(),
  messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })).min(1),
  num_ctx: z.int().positive(),
  num_predict: z.int().positive(),
});

/** The model that answers for the operator has replied, or failed: then the agent's message gets no answer. */
export const operatorCallEnded = z.object({
  ...envelope,
  type: z.literal('operator-call.ended'),
  call_id: z.string(),
  model: z.string(),
  /** Its visible text; the message that follows has it too. */
  text: z.string(),
  thinking: z.string().optional(),
  error: z.string().optional(),
  /** As reported; not part of the run's own tokens. */
  prompt_tokens: optionalCount,
  reply_tokens: optionalCount,
  duration_ms: amount,
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
