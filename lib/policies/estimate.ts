import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { RunningSum } from '../util/running-sum.ts';

export const CHARS_PER_TOKEN = 4;

// Messages and tool lists are never changed once made, and a conversation only grows, so each size is counted once: an
// estimate costs what is new in it and what is sent shorter.
const sizes = new RunningSum(messageChars);
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
  let chars = toolChars(tools) + sizes.of(messages);
  for (const [index, shorter] of Object.entries(folded)) {
    chars += shorter.length - (messages[Number(index)]?.content.length ?? shorter.length);
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** The size of one message in characters: its texts, and its calls with their arguments as JSON (C1). */
export function messageChars(message: ChatMessage): number {
  let size = message.content.length + (message.thinking?.length ?? 0);
  for (const call of message.tool_calls ?? []) {
    size += call.function.name.length + JSON.stringify(call.function.arguments).length;
  }
  return size;
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
