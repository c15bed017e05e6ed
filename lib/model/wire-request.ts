import type { ChatRequest as WireRequest } from 'ollama';
import type { ToolDefinition } from '../parser/types.ts';
import type { ChatMessage, ChatRequest } from './chat-model.ts';

/**
 * The body of `POST /api/chat` for a request (T3). `truncate` and `shift` are missing in the client's types, but it
 * sends them. Pure, so that a viewer can reconstruct what was sent.
 */
export function wireRequest(
  request: ChatRequest,
): WireRequest & { stream: boolean; truncate: false; shift: false } {
  return {
    model: request.model,
    messages: request.messages.map((message) => wireMessage(message, request.images)),
    tools: request.tools.length === 0 ? undefined : request.tools.map(wireTool),
    options: request.options,
    truncate: false,
    shift: false,
    think: request.think,
    ...(request.format && { format: request.format }),
    keep_alive: request.keepAlive,
    stream: request.stream,
  };
}

function wireTool({ type, function: tool }: ToolDefinition) {
  return { type, function: { ...tool, parameters: { ...tool.parameters, type: 'object' } } };
}

/** An image without bytes is described in text instead: such a request is shown, not sent. */
function wireMessage({ tool_calls, images, ...rest }: ChatMessage, bytes: ChatRequest['images']) {
  return {
    ...rest,
    ...(images && { images: images.map((image) => bytes?.get(image.hash) ?? `[image ${image.hash}]`) }),
    ...(tool_calls && { tool_calls: [...tool_calls] }),
  };
}

// Messages and lists of tools are immutable, so each is serialized once, as the bytes that are sent: encoding a long text
// again for every request costs three times as much as copying its bytes.
const messageBytes = new WeakMap<ChatMessage, Buffer>();
const toolBytes = new WeakMap<ChatRequest['tools'], Buffer>();
const conversations = new WeakMap<ChatMessage, Conversation>();

/**
 * The same body as JSON in UTF-8, in pieces to be sent one after another. However many requests repeat a message or a
 * list of tools, it is serialized once, and a conversation that only grew is not copied again.
 */
export function wireBody(request: ChatRequest): readonly Buffer[] {
  const { model, messages, tools, ...rest } = wireRequest({ ...request, messages: [], tools: [] });
  const toolsText = () =>
    request.tools.length === 0 ? '' : `,"tools":${JSON.stringify(request.tools.map(wireTool))}`;
  return [
    Buffer.from(`{"model":${JSON.stringify(model)},"messages":[`),
    conversationBytes(request.messages, request.images),
    Buffer.from(']'),
    cached(toolBytes, request.tools, toolsText),
    Buffer.from(`,${JSON.stringify(rest).slice(1)}`),
  ].filter(({ length }) => length > 0);
}

/** The messages of the last request that began with the same message, separated by commas. */
interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** Its beginning holds the bytes. What a request still sends is never written to again. */
  readonly space: Buffer;
  readonly length: number;
}

function conversationBytes(messages: readonly ChatMessage[], images: ChatRequest['images']): Buffer {
  const [first] = messages;
  if (!first) return Buffer.alloc(0);
  const known = conversations.get(first);
  const grown = known && isBeginning(known.messages, messages) ? known : undefined;
  const added = messages.slice(grown?.messages.length ?? 0).map((message) => {
    return cached(messageBytes, message, () => `,${JSON.stringify(wireMessage(message, images))}`);
  });
  const from = grown?.length ?? 0;
  const length = added.reduce((sum, bytes) => sum + bytes.length, from);
  let space = grown?.space;
  if (!space || space.length < length) {
    space = Buffer.allocUnsafeSlow(2 * length);
    grown?.space.copy(space, 0, 0, from);
  }
  let at = from;
  for (const bytes of added) at += bytes.copy(space, at);
  conversations.set(first, { messages, space, length });
  return space.subarray(1, length); // without the first comma
}

function isBeginning(some: readonly ChatMessage[], all: readonly ChatMessage[]): boolean {
  return some.length <= all.length && some.every((message, index) => message === all[index]);
}

function cached<T extends object>(known: WeakMap<T, Buffer>, key: T, textOf: () => string): Buffer {
  let bytes = known.get(key);
  if (!bytes) {
    bytes = Buffer.from(textOf());
    known.set(key, bytes);
  }
  return bytes;
}
