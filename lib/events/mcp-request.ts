import { z } from 'zod';
import { amount, envelope, errorShape, optionalCount } from './envelope.ts';

/** A value that a person enters: what the protocol allows in a form. */
const enteredValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type EnteredValue = z.infer<typeof enteredValue>;
/** A person's entries in a server's form, by field name. */
export type EnteredContent = Readonly<Record<string, EnteredValue>>;

/** A field of a form that a server asks for. All of its texts are the server's, cleaned and shortened. */
const askedField = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  kind: z.enum(['text', 'number', 'integer', 'switch', 'choice', 'choices']),
  required: z.boolean(),
  /** For `choice` and `choices`. */
  options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
  /** Limits of a number, of the length of a text, or of the number of chosen options. */
  min: z.number().optional(),
  max: z.number().optional(),
  preset: enteredValue.optional(),
  /** Whether it seems to ask for a secret, such as a password or a key. */
  looks_secret: z.literal(true).optional(),
});
export type AskedField = z.infer<typeof askedField>;

/** A server's request while one of its tools runs. */
const askedRequest = z.discriminatedUnion('kind', [
  /** Input in a form (elicitation). */
  z.object({ kind: z.literal('form'), message: z.string(), fields: z.array(askedField) }),
  /** To open an address and do something there (elicitation in URL mode). */
  z.object({ kind: z.literal('url'), message: z.string(), url: z.string() }),
  /** A text by the run's model (sampling). */
  z.object({
    kind: z.literal('sampling'),
    system: z.string().optional(),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
    max_tokens: z.int().positive(),
    temperature: z.number().optional(),
    stop: z.array(z.string()).optional(),
  }),
]);
export type AskedRequest = z.infer<typeof askedRequest>;
export type AskedSample = Extract<AskedRequest, { kind: 'sampling' }>;

/** An MCP server asks something while a call of its tool runs. The call waits for the operator. */
export const mcpRequestReceived = z.object({
  ...envelope,
  type: z.literal('mcp-request.received'),
  /** `q1`, `q2`, … within the run. */
  request_id: z.string(),
  call_id: z.string(),
  server: z.string(),
  request: askedRequest,
});

/** The outcome of a request: answered, refused, or closed without an answer. */
export const mcpRequestAction = z.enum(['accept', 'decline', 'cancel']);
export type McpRequestAction = z.infer<typeof mcpRequestAction>;

/** The operator's answer, or the end of the wait because the run stops or the server no longer waits. */
export const mcpRequestAnswered = z.object({
  ...envelope,
  type: z.literal('mcp-request.answered'),
  request_id: z.string(),
  call_id: z.string(),
  action: mcpRequestAction,
  /** For an accepted form: what was entered. */
  content: z.record(z.string(), enteredValue).optional(),
  by: z.enum(['operator', 'stop', 'server']),
});

/** Intent, before the model is called for a server's request that the operator allowed. */
export const mcpSamplingStarted = z.object({
  ...envelope,
  type: z.literal('mcp-sampling.started'),
  request_id: z.string(),
  call_id: z.string(),
  /** The options that were sent to the model server. */
  options: z.record(z.string(), z.json()),
  /** How long the run waited for a slot before. Missing in older logs. */
  waited_ms: amount.optional(),
});

/** The model's text for a server, or why there is none. */
export const mcpSamplingEnded = z.object({
  ...envelope,
  type: z.literal('mcp-sampling.ended'),
  request_id: z.string(),
  call_id: z.string(),
  text: z.string().optional(),
  done_reason: z.string().optional(),
  error: errorShape.optional(),
  prompt_tokens: optionalCount,
  reply_tokens: optionalCount,
  duration_ms: amount,
});

/** The last messages and the progress that a server reported during a call, for people only. Bounded. */
export const mcpMessagesLogged = z.object({
  ...envelope,
  type: z.literal('mcp-messages.logged'),
  call_id: z.string(),
  server: z.string(),
  lines: z.array(z.string()),
  /** Earlier or further messages, which were not kept. */
  left_out: optionalCount,
});
