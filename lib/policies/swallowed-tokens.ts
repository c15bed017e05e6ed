import type { RunState } from '../events/run-state.ts';
import { swallowedWords } from '../events/swallowed-reply.ts';

/** Tokens of the current reply that never arrived; 0 for a call that failed. */
export function swallowedOf({ reply, lastReplyLoss }: Pick<RunState, 'reply' | 'lastReplyLoss'>): number {
  return reply ? lastReplyLoss.swallowedTokens : 0;
}

/** A note about tokens of empty replies that never arrived; empty if all arrived. */
export function swallowedNote(tokens: number): string {
  return tokens > 0 ? ` ${swallowedWords(tokens, 'In them it')}` : '';
}
