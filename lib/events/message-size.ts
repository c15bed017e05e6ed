import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { memoized } from '../util/memoized.ts';
import { RunningSum } from '../util/running-sum.ts';
import type { RunConfig } from './config.ts';
import { type ImageFacts, imageTokensOf, readableMessages } from './message-images.ts';
import { effectiveWindow, type WindowFacts } from './window.ts';

export const CHARS_PER_TOKEN = 4;

// Messages are immutable and conversations only grow, so each message is measured only once.
const sizes = new RunningSum(messageChars);

/** The size of one message in characters: its texts, and its calls with their arguments as JSON (C1). */
export function messageChars(message: ChatMessage): number {
  let size = message.content.length + (message.thinking?.length ?? 0);
  for (const call of message.tool_calls ?? []) {
    size += call.function.name.length + JSON.stringify(call.function.arguments).length;
  }
  return size;
}

/**
 * Characters of all messages, including the system prompt (C8, C9): texts, thinking, and calls with their arguments.
 */
export function conversationChars(messages: readonly ChatMessage[]): number {
  return sizes.of(messages);
}

/** The size of the tool definitions in characters, as JSON (C1). */
export const toolChars = memoized((tools: readonly ToolDefinition[]) =>
  tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0),
);

/**
 * Fill level of a conversation that is never compacted, as counted by the rules that end it or hand it over (C8-C10), in
 * tokens. What the server measured of it counts as measured, the rest by four characters per token. The limit is the
 * configured one or the effective window, whichever is smaller.
 */
export function conversationFill(
  state: WindowFacts &
    ImageFacts & {
      readonly config: RunConfig | undefined;
      readonly measured: { readonly tokens: number; readonly chars: number } | undefined;
    },
): { tokens: number; limitTokens: number; measured: boolean } {
  const { session, explore } = state.config ?? {};
  const limit = session?.context_limit ?? explore?.context_limit ?? Number.POSITIVE_INFINITY;
  const { tokens, chars } = state.measured ?? { tokens: 0, chars: 0 };
  return {
    tokens: tokens + (readableChars(state) - chars) / CHARS_PER_TOKEN,
    limitTokens: Math.min(limit, effectiveWindow(state)),
    measured: state.measured !== undefined,
  };
}

/** The size of a run's conversation as its model reads it, in characters. An image counts as its tokens. */
export function readableChars(state: ImageFacts): number {
  const messages = readableMessages(state);
  return conversationChars(messages) + CHARS_PER_TOKEN * imageTokensOfRun(state, messages);
}

/**
 * The estimated tokens of the images in a request of a run, with what was measured of earlier ones.
 *
 * @param messages from `readableMessages`
 */
export function imageTokensOfRun(
  { images }: Pick<ImageFacts, 'images'>,
  messages: readonly ChatMessage[],
  folded?: Readonly<Record<number, string>>,
): number {
  return images.kept.size === 0 ? 0 : imageTokensOf(messages, folded, images.factor);
}
