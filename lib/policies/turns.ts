import { MAX_EMPTY_REPLIES } from '../events/settings.ts';
import { ended, type Rule } from './rule.ts';
import { swallowedNote } from './swallowed-tokens.ts';

/** The prompt sent after a text or an empty reply (S9). */
export const REPROMPT = 'Continue.';

/** A turn ends once its calls have run; the next turn sees their results in the conversation (S10). */
export const endTurnAfterCalls: Rule = (state) => ({
  type: 'append',
  events: [{ type: 'turn.ended', iteration: state.iteration, outcome: 'calls' }],
});

/** Ends a session whose model keeps returning neither text nor calls (S18). */
export const endOnEmptyTurns: Rule = (state) => {
  if (state.turns.empty < MAX_EMPTY_REPLIES) return undefined;
  return ended('error', {
    error: {
      code: 'empty_turns',
      message: `The model brought neither text nor call in ${MAX_EMPTY_REPLIES} turns in a row.${swallowedNote(state.turns.swallowedTokens)}`,
      hint: 'Try another model, or say in SYSTEM_PROMPT.md what there is to do.',
    },
  });
};

/** Waits between turns if configured (S16). A stop request is never delayed. */
export const pauseBetweenTurns: Rule = (state) => {
  const waitMs = state.config.session?.turn_delay ?? 0;
  const { completed, pausedAfter } = state.turns;
  if (waitMs === 0 || completed === 0 || pausedAfter === state.iteration || state.stop) return undefined;
  return {
    type: 'append',
    events: [{ type: 'turn.paused', iteration: state.iteration, wait_ms: waitMs }],
    waitMs,
  };
};

/** Gives the model something to respond to, so that it does not just continue its own text (S9, K-23). */
export const promptAgain: Rule = (state) => {
  if (state.turns.prompted) return undefined;
  return {
    type: 'append',
    events: [{ type: 'harness.prompted', iteration: state.iteration, text: REPROMPT }],
  };
};
