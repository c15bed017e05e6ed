import { queuedMessages } from '../events/queued-messages.ts';
import type { WaitCause } from '../events/session.ts';
import { maxEmptyReplies } from '../events/settings.ts';
import { workedMs } from '../events/worked-ms.ts';
import { assertNever } from '../util/assert-never.ts';
import { secondsWords } from '../util/durations.ts';
import { plural } from '../util/numbers.ts';
import { cutNote, emptyReplyHint } from './cut-reply.ts';
import { type Decision, ended, type ReadyState, type Rule } from './rule.ts';
import { swallowedNote } from './swallowed-tokens.ts';

/** The prompt that autopilot sends after a text or an empty reply (S9). */
export const REPROMPT = 'Continue.';

/** A turn ends once its calls have run; the next turn sees their results in the conversation (S10). */
export const endTurnAfterCalls: Rule = (state) => ({
  type: 'append',
  events: [{ type: 'turn.ended', iteration: state.iteration, outcome: 'calls' }],
});

/** Ends a session on autopilot whose model keeps returning neither text nor calls (S18). */
export const endOnEmptyTurns: Rule = (state) => {
  if (!state.autopilot.on || state.turns.empty < maxEmptyReplies(state.config)) return undefined;
  return ended('error', {
    error: {
      code: 'empty_turns',
      message: `The model returned neither text nor a call in ${plural(maxEmptyReplies(state.config), 'turn')} in a row.${swallowedNote(state.turns.swallowedTokens)}${cutNote(state)}`,
      hint: emptyReplyHint(state, 'Try another model, or say in SYSTEM_PROMPT.md what to do.'),
    },
  });
};

/**
 * Waits for a message once the model has nothing left to answer. On autopilot, only when it reached one of its limits.
 */
export const waitForMessage: Rule = (state) => {
  if (state.stop || state.awaiting || queuedMessages(state).length > 0) return undefined;
  const cause = waitCauseOf(state);
  if (!cause) return undefined;
  if (state.config.unattended) return endUnattended(state, cause);
  return { type: 'append', events: [{ type: 'message.awaited', iteration: state.iteration, cause }] };
};

/** Why a session waits for a message. */
type SessionWait = Exclude<WaitCause, 'agent_message'>;

/** Ends an unattended session at the point where it would wait for a message. */
function endUnattended(state: ReadyState, cause: SessionWait): Decision {
  const { turns, config } = state;
  const count = plural(turns.completed, 'turn');
  switch (cause) {
    case 'start':
      return silent(state, 'There is no first message, and nobody to send one.');
    case 'empty':
      return silent(
        state,
        `The model returned neither text nor a call after ${count}.${swallowedNote(turns.swallowedTokens)}${cutNote(state)}`,
      );
    case 'text':
      return ended('final_answer', { message: `The model answered after ${count}.` });
    case 'autopilot_turns':
      return ended('final_answer', {
        message: turns.completed === 1 ? 'The turn is done.' : `All ${count} are done.`,
      });
    case 'autopilot_time':
      return ended('final_answer', {
        message: `Its time of ${secondsWords((config.autopilot_seconds ?? 0) * 1000)} is over after ${count}.`,
      });
    default:
      return assertNever(cause);
  }
}

function silent(state: ReadyState, message: string): Decision {
  const hint = emptyReplyHint(
    state,
    'Send a first message, turn autopilot on, or let the session wait for you.',
  );
  return ended('error', { error: { code: 'empty_turns', message, hint } });
}

function waitCauseOf(state: ReadyState): SessionWait | undefined {
  const { autopilot, turns, config } = state;
  if (!autopilot.on) {
    if (turns.prompted) return undefined;
    if (turns.completed === 0) return 'start';
    return turns.empty > 0 ? 'empty' : 'text';
  }
  const ownTurns = turns.completed - autopilot.fromTurn;
  if (ownTurns >= (config.autopilot_turns ?? Infinity)) return 'autopilot_turns';
  const ownSeconds = (workedMs(state, state.updatedAt) - autopilot.fromMs) / 1000;
  return ownTurns > 0 && ownSeconds >= (config.autopilot_seconds ?? Infinity) ? 'autopilot_time' : undefined;
}

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
