import { readableMessages } from '../events/message-images.ts';
import type { ChatMessage, ChatRequest } from '../model/chat-model.ts';
import type { Mode } from '../modes/mode.ts';
import type { ReadyState } from '../policies/rule.ts';

/**
 * Builds the request of the open model call: the conversation as the mode sends it, by default the whole conversation
 * with shortened older results (C5, T15). Pure, so that a viewer can reconstruct what was sent.
 *
 * @throws {RangeError} when no call is open
 */
export function buildRequest(state: ReadyState, mode: Pick<Mode, 'prompt'>): ChatRequest {
  const { config, openCall } = state;
  if (!openCall) throw new RangeError(`Run ${state.runId} has no open model call`);
  return {
    model: config.model,
    messages: mode.prompt?.(state) ?? sentMessages(state),
    tools: openCall.tool_count === 0 ? [] : state.tools,
    ...(openCall.format && config.answer_schema && { format: config.answer_schema }),
    options: {
      ...openCall.options,
      num_ctx: Number(openCall.options.num_ctx),
      num_predict: Number(openCall.options.num_predict),
    },
    think: openCall.think,
    stream: openCall.stream,
    keepAlive: config.keep_alive,
  };
}

/** A conversation with a set of shortened contents, and the messages sent for it. */
interface Sent {
  readonly messages: readonly ChatMessage[];
  readonly sent: readonly ChatMessage[];
}

// Many requests share a set of shortened contents. A shortened message stays the same object in all of them,
// so a request only appends to the previous one, and earlier messages are not serialized again.
const lastSent = new WeakMap<ReadyState['folded'], Sent>();
const shortened = new WeakMap<ChatMessage, ChatMessage>();

/** The conversation with shortened contents where they exist; those are sent without images. */
function sentMessages(state: ReadyState): readonly ChatMessage[] {
  const { folded } = state;
  const messages = readableMessages(state);
  const last = lastSent.get(folded);
  if (last?.messages.every((message, index) => message === messages[index])) {
    return [...last.sent, ...messages.slice(last.messages.length)]; // later messages are not in the set
  }
  const sent = messages.map((message, index) => {
    const content = folded[index];
    return content === undefined ? message : withContent(message, content);
  });
  lastSent.set(folded, { messages: [...messages], sent });
  return sent;
}

function withContent(message: ChatMessage, content: string): ChatMessage {
  const known = shortened.get(message);
  if (known?.content === content) return known;
  const { images: _, ...others } = message;
  const short = { ...others, content };
  shortened.set(message, short);
  return short;
}
