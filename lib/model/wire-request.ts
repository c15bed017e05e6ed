import type { ChatRequest as WireRequest } from 'ollama';
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
    tools:
      request.tools.length === 0
        ? undefined
        : request.tools.map(({ type, function: tool }) => ({
            type,
            function: { ...tool, parameters: { ...tool.parameters, type: 'object' } },
          })),
    options: request.options,
    truncate: false,
    shift: false,
    think: request.think,
    keep_alive: request.keepAlive,
    stream: request.stream,
  };
}

function wireMessage(message: ChatMessage) {
  const { tool_calls, ...rest } = message;
  return { ...rest, ...(tool_calls && { tool_calls: [...tool_calls] }) };
}

const serialized = new WeakMap<object, string>();

/**
 * The same body as JSON text. Each message is serialized once, however many requests repeat it, so a request costs what
 * is new in it.
 */
export function wireBody(request: ChatRequest): string {
  const { model, messages, ...rest } = wireRequest({ ...request, messages: [] });
  const texts = request.messages.map((message) => {
    const known = serialized.get(message);
    if (known !== undefined) return known;
    const text = JSON.stringify(wireMessage(message));
    serialized.set(message, text);
    return text;
  });
  return `{"model":${JSON.stringify(model)},"messages":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`;
}
