import type { RunState } from '../events/run-state.ts';
import { plural } from '../util/numbers.ts';
import { ended, type Rule } from './rule.ts';

/**
 * Whether nothing new was written or read for too long (G10).
 *
 * @param iteration the iteration whose tool round has ended, from 1
 * @param lastNewsIteration the last iteration with a written file or a result not seen before; 0 if there was none
 */
export function isStall(iteration: number, lastNewsIteration: number, threshold = 5): boolean {
  return iteration - lastNewsIteration >= threshold;
}

/**
 * Ends the attempt after too many tool rounds without new information, unless the guard is off (G10, G11, K-12). Reading
 * something new is progress, so a task that only reads is not stopped for it.
 */
export const endOnStall: Rule = (state) => {
  const { config, iteration, lastNewsIteration } = state;
  if (!config.stall_guard || !isStall(iteration, lastNewsIteration, config.stall_threshold)) return undefined;
  return ended('stall', {
    warnings: [
      {
        type: 'policy.warned',
        code: 'agentic_stall_stop',
        iteration,
        message: `${noNewsWords(state)}.`,
        detail: { task_id: state.runId, iteration, last_new_information: lastNewsIteration },
      },
    ],
  });
};

/** How long a run has gone without new information, as a sentence without a full stop. */
export function noNewsWords({
  iteration,
  lastNewsIteration,
}: Pick<RunState, 'iteration' | 'lastNewsIteration'>): string {
  const iterations = plural(iteration - lastNewsIteration, 'iteration');
  return lastNewsIteration === 0
    ? `No new information in ${iterations}`
    : `No new information in the ${iterations} since iteration ${lastNewsIteration}`;
}
