import { CHARS_PER_TOKEN, conversationFill, readableChars } from '../events/message-size.ts';
import type { PendingReply } from '../events/run-state.ts';
import type { Appending, ReadyState, Rule } from './rule.ts';

/** Asks for a summary for a fresh context. */
export const HANDOVER_REQUEST = [
  'Your context window is nearly full. The conversation will continue in a fresh context that begins with what you write now; everything else will be lost.',
  'Write a summary for yourself: what you were asked to do and by whom, what you have done and found out, the names, paths and numbers you will need, what is still open, and what you were about to do next. Do not call a tool.',
].join('\n\n');

/** The conversation must grow by this share of its limit before it is handed over again. */
const LEAST_GROWTH = 0.1;

/** The user message with which a fresh context begins. */
export function handoverText(summary: string): string {
  return `Your earlier conversation was handed over to this fresh context. This is the summary you wrote of it:\n\n${summary}`;
}

/** Whether the model is writing the summary for a handover. */
export function isHandingOver({ handover }: Pick<ReadyState, 'handover'>): boolean {
  return handover.kept !== undefined;
}

/** Asks for a summary once the conversation has reached the share at which the run hands over, if one is set. */
export const handOver: Rule = (state) => {
  const share = state.config.handover_at;
  if (typeof share !== 'number' || state.stop) return undefined;
  const { tokens, limitTokens, measured } = conversationFill(state);
  if (tokens < share * limitTokens) return undefined;
  // If a long summary makes the fresh context nearly as long, it would be handed over forever.
  const grown = readableChars(state) - state.handover.fromChars;
  if (grown < LEAST_GROWTH * limitTokens * CHARS_PER_TOKEN) return undefined;
  return {
    type: 'append',
    events: [
      {
        type: 'handover.started',
        iteration: state.iteration,
        tokens: Math.round(tokens),
        limit_tokens: Math.max(1, Math.floor(limitTokens)),
        measured,
        text: HANDOVER_REQUEST,
      },
    ],
  };
};

/** Begins the fresh context with the summary; without one, the conversation continues unchanged. */
export function finishHandover(state: ReadyState, reply: PendingReply | undefined): Appending {
  const summary = reply?.text.trim() ?? '';
  const { iteration } = state;
  if (summary !== '') {
    return {
      type: 'append',
      events: [{ type: 'handover.ended', iteration, outcome: 'done', text: handoverText(summary) }],
    };
  }
  return {
    type: 'append',
    events: [
      {
        type: 'policy.warned',
        code: 'handover_failed',
        iteration,
        message: 'The model wrote no summary, so the conversation continues without a handover.',
      },
      { type: 'handover.ended', iteration, outcome: 'failed' },
    ],
  };
}
