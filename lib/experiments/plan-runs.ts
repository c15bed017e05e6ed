import { createRunRequest, type NewRun } from '../api/create-run.ts';
import { type ExperimentItem, type ExperimentPlan, MAX_EXPERIMENT_RUNS } from '../api/experiment.ts';
import { namedOptionProblems, namedOptions } from '../api/named-options.ts';
import { DEFAULT_WINDOW_TOKENS } from '../api/run-settings.ts';
import { AppError } from '../errors/app-error.ts';
import { modeAndTools } from '../events/modes.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** Options that make Ollama reload the model when they change (OL14). */
const LOAD_OPTIONS = ['num_ctx', 'num_gpu', 'num_batch', 'num_thread', 'main_gpu', 'use_mmap'] as const;

/**
 * The runs of an experiment in execution order: grouped by model, then by options that force a reload, so that each
 * model is loaded as seldom as possible. Pure.
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

/** Groups option sets that load the model the same way; otherwise keeps their order. */
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
  const seed = item.seed === undefined ? {} : { seed: item.seed };
  // The title only lists options if they distinguish runs.
  const sets = plan.options.length === 1 ? [] : Object.entries(item.options);
  const ofOptions = sets.map(([name, value]) => `, ${name} ${value}`).join('');
  const ofSeed = item.seed === undefined ? '' : `, seed ${item.seed}`;
  const ofRepeat = plan.repeats === 1 ? '' : `, ${item.repeat} of ${plan.repeats}`;
  return createRunRequest.parse({
    ...plan.settings,
    // A varied option overrides the common setting.
    ...namedOptions(asked),
    ...modeAndTools(plan.mode),
    task: plan.task,
    ...(plan.workspace === undefined ? {} : { workspace: plan.workspace, workspace_copy: true }),
    title: `${plan.name}: ${item.model}${ofOptions}${ofSeed}${ofRepeat}`.slice(0, 200),
    model: item.model,
    model_options: { ...withoutNamedOptions(item.options), ...seed },
    ...(plan.cycles === undefined ? {} : { max_cycles: plan.cycles }),
  });
}
