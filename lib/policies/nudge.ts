import type { NewEvent } from '../events/registry.ts';
import { isPlanOnly } from './plan-only.ts';
import { ended, type ReadyState, type Verdict } from './rule.ts';

/** The words of G12, exactly. */
export const NUDGE_TEXT =
  'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.';

/**
 * A text without calls ends the attempt as its answer (T16), unless it is a plan and a nudge is left (G12, G15).
 *
 * @param broken what is wrong with the reply: asked for twice and broken twice, what there is of it is the answer (T21,
 *   T22), and no nudge mends it
 */
export function answerOrNudge(state: ReadyState, broken: readonly NewEvent[]): Verdict {
  if (broken.length > 0) return ended('final_answer', { warnings: broken });
  const text = state.reply?.text ?? '';
  const plan = state.config.nudge_plans && isPlanOnly(text, state.callHistory.length > 0);
  if (plan && state.nudges < state.config.max_nudges) return nudge(state, 'plan');
  return ended('final_answer');
}

/**
 * A reply with neither text nor call gets a nudge; without one left the attempt ends (G14, G15). `malformed` is a reply
 * whose call Ollama swallowed.
 */
export function nudgeOrEnd(state: ReadyState, cause: 'empty' | 'malformed'): Verdict {
  return state.nudges < state.config.max_nudges ? nudge(state, cause) : ended('nudge_exhausted');
}

function nudge(state: ReadyState, cause: 'empty' | 'plan' | 'malformed'): Verdict {
  return {
    type: 'append',
    events: [
      {
        type: 'policy.nudged',
        iteration: state.iteration,
        cause,
        text: NUDGE_TEXT,
        count: state.nudges + 1,
        limit: state.config.max_nudges,
      },
    ],
  };
}
