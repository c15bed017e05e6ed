import {
  type ExperimentItem,
  type ExperimentPlan,
  type ExtendExperiment,
  experimentRequest,
} from '../api/experiment.ts';
import type { SuiteCase } from '../api/suite.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_EXPERIMENT_RUNS } from '../events/limits.ts';
import { distinctModels, isSameModel } from '../util/model-name.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { distinctValues } from '../util/sorted-json.ts';
import { itemKey, planRuns } from './plan-runs.ts';

/**
 * The plan with more models, values, seeds or repeats. Pure.
 *
 * @throws {AppError} `invalid_request` if the result is not a valid plan, or adds a factor or seeds for which earlier
 *   runs have no value
 */
export function extendPlan(
  plan: ExperimentPlan,
  more: Omit<ExtendExperiment, 'confirm_runs'>,
): ExperimentPlan {
  const factors = plan.factors ?? {};
  const unknown = Object.keys(more.factors).find((name) => !Object.hasOwn(factors, name));
  if (unknown !== undefined) {
    throw refusal(
      `factors.${unknown.slice(0, 80)}: The experiment does not vary it, so its earlier runs have no value for it.`,
      'Create a new experiment to vary another setting.',
    );
  }
  if (plan.seeds.length === 0 && more.seeds.length > 0) {
    throw refusal(
      'seeds: The runs of this experiment have no seed, and their plan cannot list both.',
      'Create a new experiment with seeds.',
    );
  }
  if (more.repeats !== undefined && more.repeats < plan.repeats) {
    throw refusal(
      `repeats: The experiment already has ${plan.repeats} repeats.`,
      'repeats is the new number in total.',
    );
  }
  const read = experimentRequest.safeParse(
    {
      ...plan,
      models: [
        ...plan.models,
        ...distinctModels(more.models).filter(
          (added) => !plan.models.some((model) => isSameModel(model, added)),
        ),
      ],
      ...(plan.factors && {
        factors: Object.fromEntries(
          Object.entries(factors).map(([name, values]) => [
            name,
            distinctValues([...values, ...(more.factors[name] ?? [])]),
          ]),
        ),
      }),
      seeds: distinctValues([...plan.seeds, ...more.seeds]),
      repeats: more.repeats ?? plan.repeats,
    },
    IN_WORDS,
  );
  if (read.success) return read.data;
  throw refusal(describeFieldProblems(read.error.issues, 'plan').join(' '), 'docs/api.md lists the fields.');
}

/**
 * The runs of a plan that are not among the given items, numbered after them. Pure.
 *
 * @param cases those of its suite; missing if it runs none
 * @throws {AppError} `invalid_request` if there are none, or too many in total
 */
export function newItems(
  plan: ExperimentPlan,
  items: readonly ExperimentItem[],
  cases?: readonly SuiteCase[],
): ExperimentItem[] {
  const existing = new Set(items.map(itemKey));
  const added = planRuns(plan, cases).filter((item) => !existing.has(itemKey(item)));
  const total = items.length + added.length;
  if (total > MAX_EXPERIMENT_RUNS) {
    throw refusal(
      `The experiment would have ${total} runs; at most ${MAX_EXPERIMENT_RUNS} are possible.`,
      'Add fewer models, values, seeds or repeats.',
    );
  }
  if (added.length === 0) {
    throw refusal(
      'The experiment already has all of these runs.',
      'Add a model, a value, a seed or repeats.',
    );
  }
  return added.map((item, index) => ({ ...item, position: items.length + index + 1 }));
}

function refusal(message: string, hint: string): AppError {
  return new AppError({ code: 'invalid_request', message, hint });
}
