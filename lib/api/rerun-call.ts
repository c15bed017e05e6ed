import { z } from 'zod';
import { chatMessage, toolDefinition } from '../events/model-call.ts';
import type { NewEvent } from '../events/registry.ts';
import { optionValue, thinkSetting } from '../events/setting-values.ts';
import { firstRepeated } from '../util/first-repeated.ts';
import { createRunRequest } from './create-run.ts';
import { modelOptionProblems } from './named-options.ts';

/** Messages of one request. */
const MAX_MESSAGES = 5000;
const MAX_TOOLS = 128;
const MAX_TOOL_NAME_CHARS = 200;

/** A message of the request, written out. */
const writtenMessage = z.strictObject(chatMessage.shape).superRefine((message, context) => {
  const { role, content, tool_calls: calls } = message;
  const problem = (path: string, text: string) =>
    context.addIssue({ code: 'custom', path: [path], message: text });
  if (calls && role !== 'assistant')
    problem('tool_calls', 'Only a message with the role "assistant" has tool calls.');
  // A tool may return nothing, and a reply may consist of calls or thinking only.
  const needsText =
    role === 'system' || role === 'user' || (role === 'assistant' && !calls?.length && !message.thinking);
  if (needsText && content.trim() === '')
    problem('content', `A message with the role "${role}" must not be empty.`);
});

const offeredTool = toolDefinition.extend({
  function: z.strictObject({
    ...toolDefinition.shape.function.shape,
    name: z.string().trim().min(1).max(MAX_TOOL_NAME_CHARS),
    description: z.string().default(''),
    parameters: z.looseObject({
      type: z.literal('object').default('object'),
      properties: z.record(z.string(), z.looseObject({})).optional(),
      required: z.array(z.string()).optional(),
    }),
  }),
});

/** Body of `POST /api/runs/{id}/calls/{call}/rerun`. What is missing is sent as it was. */
export const rerunRequest = z
  .strictObject({
    model: createRunRequest.shape.model.optional(),
    /** Replaces the messages. `{as_sent: N}` is message N of the call, from 0, in full; each at most once. */
    messages: z
      .array(z.union([z.strictObject({ as_sent: z.int().nonnegative() }), writtenMessage]))
      .min(1, 'A request needs at least one message.')
      .max(MAX_MESSAGES)
      .optional(),
    /** Replaces the tools; `[]` offers none. */
    tools: z.array(offeredTool).max(MAX_TOOLS).optional(),
    /** Merged into the options of the call; `null` removes one. */
    options: z.record(z.string(), z.union([...optionValue.options, z.null()])).optional(),
    think: thinkSetting.optional(),
    stream: z.boolean().optional(),
  })
  .superRefine(({ tools = [], options = {} }, context) => {
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const names = tools.map((tool) => tool.function.name);
    const twice = firstRepeated(names);
    if (twice !== undefined) problem('tools', `Two tools are named "${twice}". Rename one of them.`);
    for (const name of ['num_ctx', 'num_predict']) {
      if (options[name] === null) problem('options', `${name} cannot be removed. Set it to a number.`);
    }
    for (const text of modelOptionProblems({ model_options: options })) problem('options', text);
  });
export type RerunRequest = z.input<typeof rerunRequest>;
export type RerunPlan = z.output<typeof rerunRequest>;

type Unlogged<Type extends NewEvent['type']> = Extract<NewEvent, { type: Type }>;

/** The result of a call that was sent again, as the events that a run would log. They are not logged. */
export interface RerunResult {
  /** The model's window in tokens, as it was loaded. */
  window_tokens: number;
  /** How long the model took to load, in milliseconds; 0 if it was loaded. */
  load_ms: number;
  ended?: Unlogged<'model-call.ended'>;
  parsed?: Unlogged<'reply.parsed'>;
  /** Instead of the two before: the call was sent and failed. */
  failed?: Unlogged<'model-call.failed'>;
}

/** One message of the stream of a call that is sent again. The last one is `result` or `error`. */
export type RerunUpdate =
  /** Waits for a slot of the model server; `position` in its queue, from 1, if it is known. */
  | { type: 'waiting'; position?: number }
  | { type: 'loading' }
  /** The request was sent. */
  | { type: 'sent' }
  /** A piece of a streamed reply. */
  | { type: 'text' | 'thinking'; text: string }
  | { type: 'result'; result: RerunResult }
  /** The request was not sent. */
  | { type: 'error'; error: { code: string; message: string; hint?: string } };
