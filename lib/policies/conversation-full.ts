import { CHARS_PER_TOKEN, conversationFill } from '../events/message-size.ts';
import { effectiveWindow } from '../events/window.ts';
import { formatCount, plural } from '../util/numbers.ts';
import type { Ending, ReadyState, Rule } from './rule.ts';

/**
 * Ends a conversation that is never compacted once it exceeds its limit in tokens (C8-C10): as measured by the server,
 * or estimated at four characters per token before the first measurement.
 */
export const endWhenConversationFull: Rule = (state) => {
  const { tokens, limitTokens, measured } = conversationFill(state);
  if (tokens <= limitTokens) return undefined;
  const size = measured
    ? `${formatCount(Math.round(tokens))} tokens, and the limit is ${formatCount(limitTokens)}`
    : `${formatCount(Math.round(tokens * CHARS_PER_TOKEN))} characters, and the limit is ${formatCount(limitTokens * CHARS_PER_TOKEN)}`;
  return { type: 'end', ending: full(state, size) };
};

/**
 * Ends a conversation that Ollama refused although it is below the character limit. Requests also include tool
 * definitions, and a text can take more tokens than estimated.
 */
export function conversationFull(state: ReadyState): Ending {
  return full(
    state,
    `Ollama refused it as too long for its window of ${formatCount(effectiveWindow(state))} tokens`,
  );
}

/** Reports how far the conversation got, why it ends, and how to continue (C8). */
function full(state: ReadyState, why: string): Ending {
  const { number, open } = state.cycle;
  const extent =
    number > 0
      ? plural(open ? number - 1 : number, 'completed cycle')
      : plural(state.turns.completed, 'completed turn');
  const message = `The conversation is full after ${extent}: ${why}. Start a new run to continue.`;
  return {
    reason: 'context_full',
    message,
    warnings: [{ type: 'policy.warned', code: 'conversation_full', message }],
  };
}
