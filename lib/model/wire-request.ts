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
    messages: request.messages.map(wireMessage),
    tools: request.tools.length === 0 ? undefined : request.tools.map(wireTool),
    options: request.options,
    truncate: false,
    shift: false,
    think: request.think,
    keep_alive: request.keepAlive,
    stream: request.stream,
  };
}

function wireTool({ type, function: tool }: ToolDefinition) {
  return { type, function: { ...tool, parameters: { ...tool.parameters, type: 'object' } } };
}

function wireMessage(message: ChatMessage) {
  const { tool_calls, ...rest } = message;
  return { ...rest, ...(tool_calls && { tool_calls: [...tool_calls] }) };
}

// Messages and lists of tools are immutable, so each is serialized once, as the bytes that are sent: encoding a long text
// again for every request costs three times as much as copying its bytes.
const messageBytes = new WeakMap<ChatMessage, Buffer>();
const toolBytes = new WeakMap<ChatRequest['tools'], Buffer>();

/** The same body as JSON in UTF-8. However many requests repeat a message or a list of tools, it is serialized once. */
export function wireBody(request: ChatRequest): Buffer {
  const { model, messages, tools, ...rest } = wireRequest({ ...request, messages: [], tools: [] });
  const parts: Buffer[] = [Buffer.from(`{"model":${JSON.stringify(model)},"messages":[`)];
  for (const [index, message] of request.messages.entries()) {
    const bytes = cached(messageBytes, message, () => `,${JSON.stringify(wireMessage(message))}`);
    parts.push(index === 0 ? bytes.subarray(1) : bytes);
  }
  parts.push(
    Buffer.from(']'),
    cached(toolBytes, request.tools, () =>
      request.tools.length === 0 ? '' : `,"tools":${JSON.stringify(request.tools.map(wireTool))}`,
    ),
    Buffer.from(`,${JSON.stringify(rest).slice(1)}`),
  );
  return Buffer.concat(parts);
}

function cached<T extends object>(known: WeakMap<T, Buffer>, key: T, textOf: () => string): Buffer {
  let bytes = known.get(key);
  if (!bytes) {
    bytes = Buffer.from(textOf());
    known.set(key, bytes);
  }
  return bytes;
}
