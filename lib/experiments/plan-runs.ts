import { createRunRequest, type NewRun } from '../api/create-run.ts';
import type { ExperimentItem, ExperimentPlan } from '../api/experiment.ts';
import { type FactorLists, type FactorValues, factorFields } from '../api/experiment-factors.ts';
import { namedOptionProblems, namedOptions } from '../api/named-options.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_EXPERIMENT_RUNS, MAX_TITLE_CHARS } from '../events/limits.ts';
import { modeAndTools } from '../events/modes.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { DEFAULT_WINDOW_TOKENS } from '../events/settings.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** Options that make Ollama reload the model when they change (OL14). */
const LOAD_OPTIONS = ['num_ctx', 'num_gpu', 'num_batch', 'num_thread', 'main_gpu', 'use_mmap'] as const;

/** What distinguishes runs of the same model, apart from seed and repeat. */
type Variation = Pick<ExperimentItem, 'options' | 'factors'>;

/**
 * The runs of an experiment in execution order: grouped by model, then by what forces a reload, so that each model is
 * loaded as seldom as possible. Pure.
 *
 * @throws {AppError} `invalid_request` for more than 10 000 runs
 */
export function planRuns(plan: ExperimentPlan): ExperimentItem[] {
  const models = [...new Set(plan.models)];
  const seeds = plan.seeds.length === 0 ? [undefined] : [...new Set(plan.seeds)];
  const total = countRuns(plan);
  if (total > MAX_EXPERIMENT_RUNS) {
    throw new AppError({
      code: 'invalid_request',
      message: `These are ${total} runs, and an experiment has at most ${MAX_EXPERIMENT_RUNS}.`,
      hint: 'Use fewer models, values, seeds or repeats.',
    });
  }
  const variations = inLoadOrder(plan);
  const items: Omit<ExperimentItem, 'position'>[] = models.flatMap((model) =>
    variations.flatMap((variation) =>
      seeds.flatMap((seed) =>
        Array.from({ length: plan.repeats }, (_, index) => ({
          model,
          ...variation,
          ...(seed === undefined ? {} : { seed }),
          repeat: index + 1,
          status: 'waiting' as const,
        })),
      ),
    ),
  );
  return items.map((item, index) => ({ position: index + 1, ...item }));
}

/** The number of runs, computed without listing them. Pure. */
function countRuns({ models, options, factors = {}, seeds, repeats }: ExperimentPlan): number {
  const combinations = Object.values(factors).reduce((product, { length }) => product * length, 1);
  return new Set(models).size * options.length * combinations * Math.max(1, new Set(seeds).size) * repeats;
}

/** Groups variations that load the model the same way; otherwise keeps their order. */
function inLoadOrder(plan: ExperimentPlan): Variation[] {
  const combinations = combine(plan.factors ?? {});
  const groups = new Map<string, Variation[]>();
  for (const options of plan.options) {
    for (const factors of combinations) {
      const variation = { options, ...(plan.factors ? { factors } : {}) };
      const key = loadKey(plan, variation);
      const group = groups.get(key);
      if (group) group.push(variation);
      else groups.set(key, [variation]);
    }
  }
  return [...groups.values()].flat();
}

/** Every value of each factor with every value of the others; without factors, the one empty combination. */
function combine(factors: FactorLists): FactorValues[] {
  return Object.entries(factors).reduce<FactorValues[]>(
    (combinations, [name, values]) =>
      combinations.flatMap((combination) => values.map((value) => ({ ...combination, [name]: value }))),
    [{}],
  );
}

function loadKey({ settings }: ExperimentPlan, { options, factors = {} }: Variation): string {
  const varied = factorFields(factors);
  const num_ctx = varied.settings.window_tokens ?? settings.window_tokens ?? DEFAULT_WINDOW_TOKENS;
  const all: Readonly<Record<string, JsonValue>> = { num_ctx, ...options, ...varied.options };
  const chosen: Record<string, JsonValue> = {};
  for (const name of LOAD_OPTIONS) {
    const value = all[name];
    if (value !== undefined) chosen[name] = value;
  }
  return sortedJson(chosen);
}

/**
 * Identifies a run within its experiment, whatever its position: two plans that both contain it give the same key.
 * Pure.
 */
export function itemKey({ model, options, factors = {}, seed, repeat }: ExperimentItem): string {
  return sortedJson([model, options, factors, seed ?? null, repeat]);
}

/**
 * The request that creates the run of an item.
 *
 * @throws {ZodError} when the settings do not fit the mode
 * @throws {AppError} `invalid_request` for an invalid window or reply limit in the options
 */
export function requestOf(plan: ExperimentPlan, item: ExperimentItem): NewRun {
  const asked = { model_options: item.options };
  const problems = namedOptionProblems(asked);
  if (problems.length > 0) {
    throw new AppError({
      code: 'invalid_request',
      message: `options: ${problems.join(' ')}`,
      hint: 'For all runs alike, they are fields of settings: window_tokens and num_predict.',
    });
  }
  const varied = factorFields(item.factors ?? {});
  return createRunRequest.parse({
    ...plan.settings,
    // A varied value overrides the common setting.
    ...namedOptions(asked),
    ...(plan.cycles === undefined ? {} : { max_cycles: plan.cycles }),
    ...varied.settings,
    ...modeAndTools(plan.mode),
    task: plan.task,
    ...(plan.workspace === undefined ? {} : { workspace: plan.workspace, workspace_copy: true }),
    title: titleOf(plan, item),
    model: item.model,
    model_options: {
      ...withoutNamedOptions(item.options),
      ...varied.options,
      ...(item.seed === undefined ? {} : { seed: item.seed }),
    },
  });
}

/** The title of a run: it lists what distinguishes the runs of the plan. */
function titleOf({ name, options, factors = {}, repeats }: ExperimentPlan, item: ExperimentItem): string {
  const distinct = Object.entries(item.factors ?? {}).filter(
    ([factor]) => (factors[factor]?.length ?? 0) > 1,
  );
  const varied = [...(options.length === 1 ? [] : Object.entries(item.options)), ...distinct];
  const parts = [
    item.model,
    ...varied.map(([each, value]) => `${each} ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ...(item.seed === undefined ? [] : [`seed ${item.seed}`]),
    ...(repeats === 1 ? [] : [`${item.repeat} of ${repeats}`]),
  ];
  return `${name}: ${parts.join(', ')}`.slice(0, MAX_TITLE_CHARS);
}
