import type { ChatMessage } from '../model/chat-model.ts';
import { RunningSum } from '../util/running-sum.ts';
import type { Ending, ReadyState, Rule } from './rule.ts';
import { effectiveWindow } from './window.ts';

const CHARS_PER_TOKEN = 4;

// Messages are never changed once made and a conversation only grows: each is counted once.
const sizes = new RunningSum(messageChars);

/** Characters of all messages, the system prompt included (C8, C9): texts, thoughts and the JSON of calls. */
export function conversationChars(messages: readonly ChatMessage[]): number {
  return sizes.of(messages);
}

function messageChars(message: ChatMessage): number {
  const calls = message.tool_calls === undefined ? 0 : JSON.stringify(message.tool_calls).length;
  return message.content.length + (message.thinking?.length ?? 0) + calls;
}

/** The limit in characters: of the configured tokens, or of the window when that is smaller. */
function limitChars(state: ReadyState): number {
  const { session, explore } = state.config;
  const tokens = session?.context_limit ?? explore?.context_limit ?? Number.POSITIVE_INFINITY;
  return Math.min(tokens, effectiveWindow(state)) * CHARS_PER_TOKEN;
}

/** Ends a conversation that is never shortened once its characters exceed four times the limit (C8-C10). */
export const endWhenConversationFull: Rule = (state) => {
  const chars = conversationChars(state.messages);
  const limit = limitChars(state);
  if (chars <= limit) return undefined;
  return {
    type: 'end',
    ending: full(state, `${number(chars)} characters, and the limit is ${number(limit)}`),
  };
};

/**
 * The end of a conversation whose next request does not fit the window, below the limit in characters: tools count in a
 * request too, and a model may make more tokens of a text than it is estimated at.
 *
 * @param estimate tokens of the request; `undefined` when Ollama refused it
 */
export function conversationFull(state: ReadyState, estimate: number | undefined): Ending {
  const window = `${number(effectiveWindow(state))} tokens`;
  return full(
    state,
    estimate === undefined
      ? `Ollama refused it as too long for its window of ${window}`
      : `with its tools about ${number(estimate)} tokens, and the window is ${window}`,
  );
}

/** How far the conversation came, why it ends, and what to do about it (C8). */
function full(state: ReadyState, why: string): Ending {
  const extent =
    state.cycle.number > 0
      ? plural(state.cycle.number, 'cycle')
      : plural(state.turns.completed, 'completed turn');
  const message = `The conversation is full after ${extent}: ${why}. Start a new run to go on.`;
  return {
    reason: 'context_full',
    message,
    warnings: [{ type: 'policy.warned', code: 'conversation_full', message }],
  };
}

function plural(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
