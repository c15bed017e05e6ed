import type { RunState } from '../events/run-state.ts';
import { swallowedWords } from '../events/swallowed-reply.ts';

/** Tokens of the current reply that never arrived; 0 for a call that failed. */
export function swallowedOf({ reply, lastReplyLoss }: Pick<RunState, 'reply' | 'lastReplyLoss'>): number {
  return reply ? lastReplyLoss.swallowedTokens : 0;
}

/** A note for a count of empty replies of which some never arrived; empty when all arrived. */
export function swallowedNote(tokens: number): string {
  return tokens > 0 ? ` ${swallowedWords(tokens, 'In them it')}` : '';
}
