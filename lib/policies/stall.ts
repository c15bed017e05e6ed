import { ended, type Rule } from './rule.ts';

/**
 * Whether nothing was written for too long (G10).
 *
 * @param iteration the iteration whose tool round has ended, from 1
 * @param lastWriteIteration the last iteration with a successful `write_file`; 0 if there was none
 */
export function isStall(iteration: number, lastWriteIteration: number, threshold = 5): boolean {
  return iteration - lastWriteIteration >= threshold;
}

/** Ends the attempt after five tool rounds without a file write, unless the guard is off (G10, G11, K-12). */
export const endOnStall: Rule = (state) => {
  const { config, iteration, lastWriteIteration } = state;
  if (!config.stall_guard || !isStall(iteration, lastWriteIteration, config.stall_threshold))
    return undefined;
  const since = lastWriteIteration === 0 ? 'since the start' : `since iteration ${lastWriteIteration}`;
  return ended('stall', {
    warnings: [
      {
        type: 'policy.warned',
        code: 'agentic_stall_stop',
        iteration,
        message: `No file was written ${since}: ${iteration - lastWriteIteration} iterations.`,
        detail: { task_id: state.runId, iteration, last_write_iteration: lastWriteIteration },
      },
    ],
  });
};
