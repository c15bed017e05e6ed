import { ITERATION_LIMITS } from '../events/settings.ts';
import { ended, type Rule } from './rule.ts';

/**
 * The iteration limit of a task: its explicit limit, or that of its tier, which defaults to standard (G1-G3). The
 * request schema has already rejected invalid values.
 */
export function getMaxIterations(task: {
  tier?: keyof typeof ITERATION_LIMITS;
  max_iterations?: number;
}): number {
  return task.max_iterations ?? ITERATION_LIMITS[task.tier ?? 'standard'];
}

/** Ends the attempt when its iterations are used up without an answer (G5). */
export const endAtIterationLimit: Rule = (state) =>
  state.iteration >= state.config.max_iterations ? ended('max_iterations') : undefined;
