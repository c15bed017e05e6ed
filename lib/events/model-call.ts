import { z } from 'zod';
import { PARSER_LAYERS } from '../parser/layers.ts';
import { amount, envelope, errorShape, optionalCount } from './envelope.ts';
import { imageRefs } from './image.ts';
import { inGivenOrder } from './in-given-order.ts';
import { thinkSetting } from './setting-values.ts';

const jsonValue = z.json();
const jsonObject = z.record(z.string(), jsonValue);

/** A message of the conversation in Ollama's shape. */
export const chatMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  images: imageRefs.optional(),
  thinking: z.string().optional(),
  tool_calls: z
    .array(
      inGivenOrder(
        z
          .object({ function: z.object({ name: z.string(), arguments: jsonObject }).catchall(jsonValue) })
          .catchall(jsonValue),
      ),
    )
    .readonly()
    .optional(),
  tool_name: z.string().optional(),
  tool_call_id: z.string().optional(),
});

/** A tool as it is offered to the model. */
export const toolDefinition = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
});

/**
 * A new conversation starts: the first attempt, or the next one after failed checks (V5). Contains the first messages
 * and the tools offered with every request of the attempt.
 */
export const attemptStarted = z.object({
  ...envelope,
  type: z.literal('attempt.started'),
  attempt: z.int().positive(),
  messages: z.array(chatMessage),
  tools: z.array(toolDefinition),
  /** Source of a session's system prompt (S5). */
  system_prompt: z.enum(['workspace', 'built-in']).optional(),
  /** The log file of a session (S4, S19). */
  log_path: z.string().optional(),
});

export const iterationStarted = z.object({
  ...envelope,
  type: z.literal('iteration.started'),
  attempt: z.int().positive(),
  iteration: z.int().positive(),
});

/**
 * A request is about to be sent. Its messages are those of the log so far (`message_count` of them), shortened where
 * `policy.compacted` says so; they are not repeated here.
 */
export const modelCallStarted = z.object({
  ...envelope,
  type: z.literal('model-call.started'),
  /** Number of the call within the run, from 1. */
  call: z.int().positive(),
  iteration: z.int().positive(),
  message_count: z.int().positive(),
  tool_count: z.int().nonnegative(),
  options: z.record(z.string(), jsonValue),
  think: thinkSetting,
  stream: z.boolean(),
  /** The reply must be JSON that fits the run's `answer_schema` (Ollama's `format`); no tools are offered. */
  format: z.literal(true).optional(),
  /** Total characters sent, divided by 4 (C1). */
  estimated_tokens: z.int().nonnegative(),
});

export const modelCallEnded = z.object({
  ...envelope,
  type: z.literal('model-call.ended'),
  call: z.int().positive(),
  /** The reply as the server sent it. */
  message: z.object({
    role: z.string(),
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z.array(jsonValue).optional(),
  }),
  done_reason: z.string().optional(),
  /** The whole prompt, including cached tokens (OL17). */
  prompt_tokens: optionalCount,
  /** How many of them were cached and not evaluated again, if the server reports it. */
  cached_tokens: optionalCount,
  reply_tokens: optionalCount,
  /** If the server reported neither count, as behind a proxy that removes them: estimated tokens (C1). */
  estimated_prompt_tokens: optionalCount,
  estimated_reply_tokens: optionalCount,
  duration_ms: amount,
  timings: z.object({
    totalMs: amount.optional(),
    loadMs: amount.optional(),
    promptEvalMs: amount.optional(),
    evalMs: amount.optional(),
  }),
  /**
   * When the first thinking and the first text arrived, in milliseconds after the request; only for streamed replies.
   */
  heard: z
    .object({
      thinking_ms: amount.optional(),
      text_ms: amount.optional(),
    })
    .optional(),
});

export const modelCallFailed = z.object({
  ...envelope,
  type: z.literal('model-call.failed'),
  call: z.int().positive(),
  kind: z.enum([
    'unreachable',
    'model_missing',
    'no_tool_support',
    'no_thinking_support',
    'no_thinking_levels',
    'overflow',
    'busy',
    'timeout',
    'cut_off',
    'malformed_call',
    'bad_response',
    'http',
    'aborted',
  ]),
  error: errorShape,
  status: z.int().optional(),
  prompt_tokens: optionalCount,
  context_tokens: optionalCount,
  /** Whether retrying the same request may succeed. */
  transient: z.boolean().optional(),
  /** Text streamed before the failure. */
  partial_text: z.string().optional(),
  partial_thinking: z.string().optional(),
  /** The visible part of `partial_text`, if it is not all visible (P4). */
  visible_text: z.string().optional(),
  /** If text had been streamed: estimated tokens (C1), since Ollama reports none for a failed call. */
  estimated_prompt_tokens: optionalCount,
  estimated_reply_tokens: optionalCount,
  raw: z.string().optional(),
  /**
   * Time from the end of the call to this event in milliseconds, spent waiting for Ollama to be idle and freeing the
   * slot; not included in `duration_ms`. Missing in older logs.
   */
  cleanup_ms: amount.optional(),
  /**
   * After a stop: time from closing the connection until Ollama was idle, in milliseconds. In logs without
   * `cleanup_ms` it lasts until this event.
   */
  server_idle_ms: amount.optional(),
  /** Whether Ollama had leaked the call's slot, so that the model was unloaded to recover it. */
  freed_slot: z.boolean().optional(),
  duration_ms: amount,
});

const layer = z.enum(PARSER_LAYERS);
const span = z.object({ in: z.enum(['content', 'thinking']), start: z.int(), end: z.int() });

/** How the reply was parsed, layer by layer (P1, P17). */
export const replyParsed = z.object({
  ...envelope,
  type: z.literal('reply.parsed'),
  call: z.int().positive(),
  iteration: z.int().positive(),
  outcome: z.enum(['tool_calls', 'final_answer', 'empty']),
  layer: z.enum([...PARSER_LAYERS, 'none']),
  format: z.string().optional(),
  /** The calls in order; `call_id` is assigned by Loupe: `c1`, `c2`, … within the run. */
  calls: z.array(
    z.object({
      call_id: z.string(),
      /** The call ID assigned by the model's server, if calls have IDs (S10). */
      given_id: z.string().optional(),
      name: z.string(),
      arguments: jsonObject,
      layer,
      format: z.string(),
      span: span.optional(),
    }),
  ),
  /** Content without thinking and without call text (P4, K-9). */
  text: z.string(),
  thinking: z.string(),
  coercions: z.array(
    z.object({ call: z.int(), path: z.string(), before: jsonValue, after: jsonValue.optional() }),
  ),
  repairs: z.array(z.object({ call: z.int(), rule: z.string(), before: z.string(), after: z.string() })),
  refusals: z.array(
    z.object({
      reason: z.string(),
      raw: z.string(),
      name: z.string().optional(),
      nearest: z.string().optional(),
      span: span.optional(),
      message: z.string(),
    }),
  ),
  attempts: z.array(z.object({ layer, format: z.string().optional(), found: z.int().nonnegative() })),
  /** Whether a call could not be parsed, by Loupe or by Ollama. */
  malformed: z.boolean(),
  /** Generated tokens that never arrived, because Ollama drops tool calls it cannot parse. Missing if none. */
  swallowed_tokens: optionalCount,
  /** Whether the token limit or the window cut off the reply (T21). */
  cut: z.boolean(),
});
