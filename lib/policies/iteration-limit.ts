import { AppError } from '../errors/app-error.ts';
import { ended, type Rule } from './rule.ts';

/** Iterations a task may take, by its complexity tier (G1). */
export const ITERATION_LIMITS = { trivial: 5, standard: 10, complex: 20 } as const;

const MAX_OVERRIDE = 100;

/** The fields of a task that decide its limit; everything in them may be missing or wrong. */
export interface LimitedTask {
  complexity?: { effective_tier?: unknown };
  _agentic_max_iterations?: unknown;
}

/**
 * The iteration limit of a task: its explicit override, or that of its tier; no tier or an unknown one means standard
 * (G1-G3).
 *
 * @throws {AppError} `invalid_max_iterations` when the override is not a whole number from 1 to 100: an override of 0
 *   must never silently mean the tier's limit (K-14)
 */
export function getMaxIterations(task: LimitedTask): number {
  const override = task._agentic_max_iterations;
  if (override !== undefined && override !== null) {
    if (
      typeof override !== 'number' ||
      !Number.isInteger(override) ||
      override < 1 ||
      override > MAX_OVERRIDE
    ) {
      throw new AppError({
        code: 'invalid_max_iterations',
        message: `The iteration limit ${String(override)} is not a whole number from 1 to ${MAX_OVERRIDE}.`,
        hint: 'Choose a number from 1 to 100, or leave it out to use the limit of the tier.',
      });
    }
    return override;
  }
  const tier = task.complexity?.effective_tier;
  return tier === 'trivial' || tier === 'complex' ? ITERATION_LIMITS[tier] : ITERATION_LIMITS.standard;
}

/** Ends the attempt when its iterations are used up without an answer (G5). */
export const endAtIterationLimit: Rule = (state) =>
  state.iteration >= state.config.max_iterations ? ended('max_iterations') : undefined;
