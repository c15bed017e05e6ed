import type { ChatRequest as WireRequest } from 'ollama';
import type { ParameterSchema, ToolDefinition } from '../parser/types.ts';
import { isRecord } from '../util/json.ts';
import type { ChatMessage, ChatRequest } from './chat-model.ts';
import { keepAliveToSend } from './keep-alive.ts';

/**
 * The body of `POST /api/chat` for a request (T3). `truncate` and `shift` are missing in the client's types, but it
 * sends them. What grows is last. Pure, so that a viewer can reconstruct what was sent.
 */
export function wireRequest(
  request: ChatRequest,
): WireRequest & { stream: boolean; truncate: false; shift: false } {
  return {
    model: request.model,
    options: request.options,
    truncate: false,
    shift: false,
    // The client's types lack the level `max`.
    think: request.think as WireRequest['think'],
    ...(request.format && { format: request.format }),
    keep_alive: keepAliveToSend(request.keepAlive),
    stream: request.stream,
    tools: request.tools.length === 0 ? undefined : request.tools.map(wireTool),
    messages: request.messages.map((message) => wireMessage(message, request.images)),
  };
}

function wireTool({ type, function: tool }: ToolDefinition) {
  const schema = wireSchema(tool.parameters);
  const parameters = { ...schema, type: 'object', properties: schema.properties ?? {} };
  return { type, function: { ...tool, parameters } };
}

/** The keywords that Ollama reads of a parameter (`api/types.go`, `ToolProperty`). */
const READ_KEYWORDS: ReadonlySet<string> = new Set(
  'anyOf type items description enum properties required'.split(' '),
);

/**
 * A schema with only the keywords that Ollama reads in the items of lists. Ollama passes items on unread, and llama-server
 * refuses the whole request for a `pattern` or a length that it cannot turn into a grammar (OL34). Elsewhere Ollama drops
 * the other keywords itself.
 */
function wireSchema(schema: ParameterSchema, isItem = false): ParameterSchema {
  const inner = (value: unknown) => (isRecord(value) ? wireSchema(value, isItem) : value);
  const kept = Object.entries(schema).filter(([keyword]) => !isItem || READ_KEYWORDS.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'items' && isRecord(value)) return [keyword, wireSchema(value, true)];
      if (keyword === 'anyOf' && Array.isArray(value)) return [keyword, value.map(inner)];
      if (keyword !== 'properties' || !isRecord(value)) return [keyword, value];
      const properties = Object.entries(value).map(([name, property]) => [name, inner(property)]);
      return [keyword, Object.fromEntries(properties)];
    }),
  );
}

/** An image without bytes is described in text instead: such a request is shown, not sent. */
function wireMessage({ tool_calls, images, ...rest }: ChatMessage, bytes: ChatRequest['images']) {
  return {
    ...rest,
    ...(images && { images: images.map((image) => bytes?.get(image.hash) ?? `[image ${image.hash}]`) }),
    ...(tool_calls && { tool_calls: [...tool_calls] }),
  };
}

// Messages and lists of tools are immutable, so what a request repeats is not serialized again.
const heads = new WeakMap<ChatRequest['tools'], { settings: string; bytes: Buffer }>();
const conversations = new WeakMap<ChatMessage, Conversation>();

/**
 * The same body as JSON in UTF-8, in pieces to be sent one after another. A list of tools that requests repeat is serialized
 * once, and of a conversation that only grew the new messages.
 */
export function wireBody(request: ChatRequest): readonly Buffer[] {
  return [head(request), conversationBytes(request.messages, request.images), END];
}

const END = Buffer.from(']}');

/** Everything before the messages. */
function head(request: ChatRequest): Buffer {
  const { messages: _, ...rest } = wireRequest({ ...request, messages: [], tools: [] });
  const settings = JSON.stringify(rest).slice(0, -1);
  const known = heads.get(request.tools);
  if (known?.settings === settings) return known.bytes;
  const tools = request.tools.length === 0 ? '' : `,"tools":${JSON.stringify(request.tools.map(wireTool))}`;
  const bytes = Buffer.from(`${settings}${tools},"messages":[`);
  heads.set(request.tools, { settings, bytes });
  return bytes;
}

/** The messages of the last request that began with the same message, separated by commas. */
interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** Its first `length` bytes are the messages. Bytes that a request may still be sending are never overwritten. */
  readonly space: Buffer;
  readonly length: number;
}

function conversationBytes(messages: readonly ChatMessage[], images: ChatRequest['images']): Buffer {
  const [first] = messages;
  if (!first) return Buffer.alloc(0);
  const known = conversations.get(first);
  const grown = known && isBeginning(known.messages, messages) ? known : undefined;
  const added = messages
    .slice(grown?.messages.length ?? 0)
    .map((message) => `,${JSON.stringify(wireMessage(message, images))}`)
    .join('');
  const from = grown?.length ?? 0;
  const length = from + Buffer.byteLength(added);
  let space = grown?.space;
  if (!space || space.length < length) {
    space = Buffer.allocUnsafeSlow(2 * length);
    grown?.space.copy(space, 0, 0, from);
  }
  space.write(added, from);
  conversations.set(first, { messages, space, length });
  return space.subarray(1, length); // without the first comma
}

function isBeginning(some: readonly ChatMessage[], all: readonly ChatMessage[]): boolean {
  return some.length <= all.length && some.every((message, index) => message === all[index]);
}
