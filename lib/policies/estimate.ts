import { CHARS_PER_TOKEN, conversationChars, toolChars } from '../events/message-size.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';

/** Shortened contents, by the index of their message. */
export type Folded = Readonly<Record<number, string>>;

// A set of shortened contents is immutable and belongs to one conversation, so it is measured once.
const savings = new WeakMap<Folded, number>();
const nothingFolded: Folded = {};

/** The estimated tokens of a request without its images: its characters divided by 4 (C1). */
export function estimateTokens(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  folded?: Folded,
): number {
  return tokensOf(requestChars(messages, tools, folded));
}

/** The estimated tokens of a number of characters. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/**
 * The characters of a request: of its messages, calls and tool definitions.
 *
 * @param folded shortened contents sent instead of the originals; immutable
 */
export function requestChars(
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  folded: Folded = nothingFolded,
): number {
  return toolChars(tools) + conversationChars(messages) - savedChars(messages, folded);
}

/** The characters by which shortened contents are shorter than the originals. */
function savedChars(messages: readonly ChatMessage[], folded: Folded): number {
  let saved = savings.get(folded);
  if (saved === undefined) {
    saved = 0;
    for (const [index, shorter] of Object.entries(folded)) {
      saved += (messages[Number(index)]?.content.length ?? shorter.length) - shorter.length;
    }
    savings.set(folded, saved);
  }
  return saved;
}
