import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';

const CHARS_PER_TOKEN = 4;

// Messages and tool lists are never changed once made, so their size is counted once: an estimate costs an addition
// per message, however long the texts are.
const messageSizes = new WeakMap<ChatMessage, number>();
const toolSizes = new WeakMap<readonly ToolDefinition[], number>();

/**
 * The size of a request in tokens, as characters divided by 4 over messages, calls and tool definitions (C1).
 *
 * @param folded shorter forms that are sent in place of contents, by message index
 */
export function estimateTokens(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  folded: Readonly<Record<number, string>> = {},
): number {
  let chars = toolChars(tools);
  messages.forEach((message, index) => {
    const shorter = folded[index];
    chars += messageChars(message);
    if (shorter !== undefined) chars += shorter.length - message.content.length;
  });
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function messageChars(message: ChatMessage): number {
  let size = messageSizes.get(message);
  if (size === undefined) {
    size = message.content.length + (message.thinking?.length ?? 0);
    for (const call of message.tool_calls ?? []) {
      size += call.function.name.length + JSON.stringify(call.function.arguments).length;
    }
    messageSizes.set(message, size);
  }
  return size;
}

function toolChars(tools: readonly ToolDefinition[]): number {
  let size = toolSizes.get(tools);
  if (size === undefined) {
    size = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
    toolSizes.set(tools, size);
  }
  return size;
}
