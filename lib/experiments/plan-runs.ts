import { createRunRequest, type NewRun } from '../api/create-run.ts';
import { type ExperimentItem, type ExperimentPlan, MAX_EXPERIMENT_RUNS } from '../api/experiment.ts';
import { AppError } from '../errors/app-error.ts';
import { DEFAULT_WINDOW_TOKENS } from '../modes/resolve-config.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** Options that Ollama looks at when it loads a model: another value loads it anew (OL14). */
const LOAD_OPTIONS = ['num_ctx', 'num_gpu', 'num_batch', 'num_thread', 'main_gpu', 'use_mmap'] as const;

/**
 * The runs of an experiment in the order of their execution: model after model, and within a model set after set of the
 * options that make Ollama load it anew, so that every model is loaded as seldom as possible. Pure.
 *
 * @throws {AppError} `invalid_request` for more than 1000 runs
 */
export function planRuns(plan: ExperimentPlan): ExperimentItem[] {
  const models = [...new Set(plan.models)];
  const seeds = plan.seeds.length === 0 ? [undefined] : [...new Set(plan.seeds)];
  const total = models.length * plan.options.length * seeds.length * plan.repeats;
  if (total > MAX_EXPERIMENT_RUNS) {
    throw new AppError({
      code: 'invalid_request',
      message: `These are ${total} runs, and an experiment has at most ${MAX_EXPERIMENT_RUNS}.`,
      hint: 'Use fewer models, option sets, seeds or repeats.',
    });
  }
  const items: Omit<ExperimentItem, 'position'>[] = models.flatMap((model) =>
    inLoadOrder(plan).flatMap((options) =>
      seeds.flatMap((seed) =>
        Array.from({ length: plan.repeats }, (_, index) => ({
          model,
          options,
          ...(seed === undefined ? {} : { seed }),
          repeat: index + 1,
          status: 'waiting' as const,
        })),
      ),
    ),
  );
  return items.map((item, index) => ({ position: index + 1, ...item }));
}

/** Sets that load the model in the same way stand together; otherwise their order is kept. */
function inLoadOrder({ options, settings }: ExperimentPlan): ExperimentPlan['options'] {
  const num_ctx = settings.window_tokens ?? DEFAULT_WINDOW_TOKENS;
  const groups = new Map<string, ExperimentPlan['options']>();
  for (const set of options) {
    const key = loadKey({ num_ctx, ...set });
    groups.set(key, [...(groups.get(key) ?? []), set]);
  }
  return [...groups.values()].flat();
}

function loadKey(set: ExperimentPlan['options'][number]): string {
  const chosen: Record<string, JsonValue> = {};
  for (const name of LOAD_OPTIONS) {
    const value = set[name];
    if (value !== undefined) chosen[name] = value;
  }
  return sortedJson(chosen);
}

/**
 * The request that makes the run of an item.
 *
 * @throws {ZodError} when the settings do not fit the mode
 */
export function requestOf(plan: ExperimentPlan, item: ExperimentItem): NewRun {
  const { num_ctx, ...options } = item.options;
  const window = typeof num_ctx === 'number' ? { window_tokens: num_ctx } : {};
  const seed = item.seed === undefined ? {} : { seed: item.seed };
  // Options in the title only where they tell runs apart.
  const sets = plan.options.length === 1 ? [] : Object.entries(item.options);
  const ofOptions = sets.map(([name, value]) => `, ${name} ${value}`).join('');
  const ofSeed = item.seed === undefined ? '' : `, seed ${item.seed}`;
  const ofRepeat = plan.repeats === 1 ? '' : `, ${item.repeat} of ${plan.repeats}`;
  return createRunRequest.parse({
    ...plan.settings,
    ...window,
    mode: plan.mode === 'explore' ? 'explore' : 'task',
    agentic: plan.mode !== 'prompt',
    task: plan.task,
    ...(plan.workspace === undefined ? {} : { workspace: plan.workspace, workspace_copy: true }),
    title: `${plan.name}: ${item.model}${ofOptions}${ofSeed}${ofRepeat}`.slice(0, 200),
    model: item.model,
    model_options: { ...options, ...seed },
    ...(plan.cycles === undefined ? {} : { max_cycles: plan.cycles }),
  });
}
