import { maxEmptyReplies } from '../events/settings.ts';
import { plural } from '../util/numbers.ts';
import { cutNote, emptyReplyHint } from './cut-reply.ts';
import { ended, type ReadyState, type Rule, type Verdict } from './rule.ts';
import { swallowedNote, swallowedOf } from './swallowed-tokens.ts';

/** The neutral line that opens a cycle (X23). */
export function cycleLine(cycle: number): string {
  return `Cycle ${cycle}.`;
}

/** Ends a cycle with the model's final text, which may be empty (X8, X11). */
export function reflect(state: ReadyState, text: string): Verdict {
  const swallowed = swallowedOf(state);
  return {
    type: 'append',
    events: [
      {
        type: 'cycle.reflected',
        cycle: state.cycle.number,
        text,
        ended_by: 'reflection',
        ...(swallowed > 0 && { swallowed_tokens: swallowed }),
      },
    ],
  };
}

/** Ends a cycle that used all its model calls without a reflection (X22); the exploration continues. */
export const endCycleAtCallLimit: Rule = (state) => {
  const limit = state.config.explore?.calls_per_cycle ?? Number.POSITIVE_INFINITY;
  const { open, number, iterationsBefore } = state.cycle;
  if (!open || state.iteration - iterationsBefore < limit) return undefined;
  return {
    type: 'append',
    events: [
      {
        type: 'policy.warned',
        code: 'cycle_call_limit',
        iteration: state.iteration,
        message: `Cycle ${number} made ${limit} model calls without a reflection. It ends here.`,
      },
      { type: 'cycle.reflected', cycle: number, text: '', ended_by: 'call_limit' },
    ],
  };
};

/** Ends the exploration after its last cycle (X22). It did what was requested, so it counts as completed. */
export const endAfterLastCycle: Rule = (state) => {
  const { open, number } = state.cycle;
  const limit = state.config.explore?.max_cycles ?? Number.POSITIVE_INFINITY;
  if (open || number < limit) return undefined;
  return ended('final_answer', {
    message: limit === 1 ? 'The cycle is done.' : `All ${limit} cycles are done.`,
  });
};

/** Ends an unlimited exploration whose model returns only empty replies. */
export const endOnEmptyCycles: Rule = (state) => {
  if (state.config.explore?.max_cycles !== null || state.cycle.empty < maxEmptyReplies(state.config))
    return undefined;
  return ended('error', {
    error: {
      code: 'empty_cycles',
      message: `The model returned neither a call nor a reflection in ${plural(maxEmptyReplies(state.config), 'cycle')} in a row.${swallowedNote(state.cycle.swallowedTokens)}${cutNote(state)}`,
      hint: emptyReplyHint(state, 'Try another model, or other model options.'),
    },
  });
};

/** Starts the next cycle with the same state and the next number (X12). */
export const startCycle: Rule = (state) => {
  if (state.cycle.open) return undefined;
  const cycle = state.cycle.number + 1;
  const line = state.config.explore?.cycle_line ? { line: cycleLine(cycle) } : {};
  return { type: 'append', events: [{ type: 'cycle.started', cycle, ...line }] };
};
