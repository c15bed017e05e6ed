import { ended, type Rule } from './rule.ts';

/** What the harness says after a text or an empty reply (S9). */
export const REPROMPT = 'Continue.';

/** Empty turns in a row that end a session: it would spin for ever (S18, K-24). */
const MAX_EMPTY_TURNS = 3;

/** A turn whose calls have run is over: its results stand in the conversation, and the next turn reads them (S10). */
export const endTurnAfterCalls: Rule = (state) => ({
  type: 'append',
  events: [{ type: 'turn.ended', iteration: state.iteration, outcome: 'calls' }],
});

/** Ends a session that brings neither text nor call any more (S18). */
export const endOnEmptyTurns: Rule = (state) => {
  if (state.turns.empty < MAX_EMPTY_TURNS) return undefined;
  return ended('error', {
    error: {
      code: 'empty_turns',
      message: `The model brought neither text nor call in ${MAX_EMPTY_TURNS} turns in a row.`,
      hint: 'Try another model, or say in SYSTEM_PROMPT.md what there is to do.',
    },
  });
};

/** Waits between two turns when that was asked for (S16). A stop is never kept waiting. */
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

/** Gives the model something to answer, so that it does not merely continue its own text (S9, K-23). */
export const promptAgain: Rule = (state) => {
  if (state.turns.prompted) return undefined;
  return {
    type: 'append',
    events: [{ type: 'harness.prompted', iteration: state.iteration, text: REPROMPT }],
  };
};
