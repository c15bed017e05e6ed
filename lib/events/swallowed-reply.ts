import { isLostCall, swallowedTokens } from '../parser/swallowed-call.ts';
import { formatCount } from '../util/numbers.ts';
import type { EventOf } from './registry.ts';

type Parsed = Pick<EventOf<'reply.parsed'>, 'outcome' | 'thinking' | 'malformed' | 'swallowed_tokens'>;
type Ended = Pick<EventOf<'model-call.ended'>, 'message' | 'reply_tokens'>;

/**
 * Tokens of a reply that never arrived, and whether it contained a call that could not be parsed. Applies the same
 * rule to older logs without `swallowed_tokens`.
 *
 * @param ended the call that returned the reply
 */
export function lossOf(
  parsed: Parsed,
  ended: Ended | undefined,
  toolsOffered: boolean,
): { swallowedTokens: number; malformed: boolean } {
  if (parsed.swallowed_tokens !== undefined || !ended) {
    return { swallowedTokens: parsed.swallowed_tokens ?? 0, malformed: parsed.malformed };
  }
  const { message, reply_tokens: replyTokens } = ended;
  const reply = { outcome: parsed.outcome, thinking: parsed.thinking.trim() !== '', message, replyTokens };
  return {
    swallowedTokens: swallowedTokens(reply),
    malformed: parsed.malformed || isLostCall({ ...reply, toolsOffered }),
  };
}

/**
 * A sentence about replies that never arrived.
 *
 * @param subject the subject of the sentence, if it is not about a single reply
 */
export function swallowedWords(tokens: number, subject = 'The model'): string {
  return `${subject} wrote ${formatCount(tokens)} tokens, but none arrived: Ollama drops tool calls that it cannot read.`;
}
