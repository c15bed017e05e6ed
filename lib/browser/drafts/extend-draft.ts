import type { ExperimentPlan, ExtendExperimentRequest } from '../../api/experiment.ts';
import { MAX_EXPERIMENT_REPEATS } from '../../events/limits.ts';
import { formLimits, MODEL_OPTIONS } from '../../events/settings.ts';
import { numbersOf, SEEDS_PROBLEM } from './experiment-draft.ts';
import { readFactors } from './factor-lines.ts';

/** The form that adds runs to an experiment. */
export interface ExtendDraft {
  /** A model to add; empty: none. */
  model: string;
  /** Values to add, by factor. */
  factors: string;
  seeds: string;
  /** The new number in total. */
  repeats: string;
}

export const emptyExtension: ExtendDraft = { model: '', factors: '', seeds: '', repeats: '' };

/** Reads the form: the request, or its problems by field. Pure. */
export function extensionOf(
  draft: ExtendDraft,
  plan: Pick<ExperimentPlan, 'factors' | 'repeats'>,
):
  | { ok: true; request: ExtendExperimentRequest }
  | { ok: false; problems: Partial<Record<keyof ExtendDraft, string>> } {
  const problems: Partial<Record<keyof ExtendDraft, string>> = {};
  const factors = readFactors(draft.factors);
  const seeds = numbersOf(draft.seeds, formLimits(MODEL_OPTIONS.seed));
  const repeats = draft.repeats.trim() === '' ? undefined : Number(draft.repeats);
  if (!factors.ok) problems.factors = factors.problem;
  else {
    const unknown = Object.keys(factors.factors).find((name) => !Object.hasOwn(plan.factors ?? {}, name));
    if (unknown !== undefined) problems.factors = `${unknown}: The experiment does not vary it.`;
  }
  if (!seeds) problems.seeds = SEEDS_PROBLEM;
  const isCount = repeats === undefined || (Number.isInteger(repeats) && repeats <= MAX_EXPERIMENT_REPEATS);
  if (!isCount || (repeats !== undefined && repeats < plan.repeats)) {
    problems.repeats = `A whole number from ${plan.repeats} to ${MAX_EXPERIMENT_REPEATS}.`;
  }
  if (Object.keys(problems).length === 0 && factors.ok && seeds) {
    const isEmpty = draft.model === '' && seeds.length === 0 && repeats === undefined;
    if (!isEmpty || Object.keys(factors.factors).length > 0) {
      return {
        ok: true,
        request: {
          ...(draft.model === '' ? {} : { models: [draft.model] }),
          ...(Object.keys(factors.factors).length === 0 ? {} : { factors: factors.factors }),
          ...(seeds.length === 0 ? {} : { seeds }),
          ...(repeats === undefined ? {} : { repeats }),
        },
      };
    }
    problems.repeats = 'Add a model, a value, a seed or repeats.';
  }
  return { ok: false, problems };
}
