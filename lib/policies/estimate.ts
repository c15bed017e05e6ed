import { CHARS_PER_TOKEN, conversationChars } from '../events/message-size.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';

// Tool lists are immutable, so each is measured only once.
const toolSizes = new WeakMap<readonly ToolDefinition[], number>();

/**
 * The estimated tokens of a request: characters of messages, calls and tool definitions divided by 4 (C1).
 *
 * @param folded shortened contents sent instead of the originals, by message index
 */
export function estimateTokens(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  folded: Readonly<Record<number, string>> = {},
): number {
  let chars = toolChars(tools) + conversationChars(messages);
  for (const [index, shorter] of Object.entries(folded)) {
    chars += shorter.length - (messages[Number(index)]?.content.length ?? shorter.length);
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** The size of the tool definitions in characters, as JSON (C1). */
export function toolChars(tools: readonly ToolDefinition[]): number {
  let size = toolSizes.get(tools);
  if (size === undefined) {
    size = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
    toolSizes.set(tools, size);
  }
  return size;
}
