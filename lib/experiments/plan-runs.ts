import { createRunRequest, type NewRun } from '../api/create-run.ts';
import type { ExperimentItem, ExperimentPlan } from '../api/experiment.ts';
import { type FactorLists, type FactorValues, factorFields } from '../api/experiment-factors.ts';
import { namedOptions } from '../api/named-options.ts';
import { checksOfCase, modeOfCase, type SuiteCase } from '../api/suite.ts';
import { refusedFields, unusedFields, withoutUnused } from '../api/unused-fields.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_EXPERIMENT_RUNS, MAX_TITLE_CHARS } from '../events/limits.ts';
import { DEFAULT_EXPERIMENT_MODE, modeAndTools, type RunKind } from '../events/modes.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { DEFAULT_WINDOW_TOKENS, hasEffectOn, offersSetting } from '../events/settings.ts';
import type { JsonValue } from '../util/json.ts';
import { distinctModels, fullName } from '../util/model-name.ts';
import { recordOf } from '../util/records.ts';
import { IN_WORDS } from '../util/schema-problems.ts';
import { textStart } from '../util/short-text.ts';
import { distinctValues, sortedJson } from '../util/sorted-json.ts';

/** Options that make Ollama reload the model when they change (OL14). */
const LOAD_OPTIONS = ['num_ctx', 'num_gpu', 'num_batch', 'num_thread', 'main_gpu', 'use_mmap'] as const;

/** What distinguishes runs of the same model, apart from seed and repeat. */
type Variation = Pick<ExperimentItem, 'options' | 'factors' | 'case'>;

/**
 * The runs of an experiment in execution order: grouped by model, then by what forces a reload, so that each model is
 * loaded as seldom as possible. Pure.
 *
 * @param cases those of its suite; missing if it runs none
 * @throws {AppError} `invalid_request` for more than 10 000 runs
 */
export function planRuns(plan: ExperimentPlan, cases?: readonly SuiteCase[]): ExperimentItem[] {
  const models = distinctModels(plan.models);
  const seeds = plan.seeds.length === 0 ? [undefined] : [...new Set(plan.seeds)];
  const total = countRuns(plan, cases?.length ?? 1);
  if (total > MAX_EXPERIMENT_RUNS) {
    throw new AppError({
      code: 'invalid_request',
      message: `The plan has ${total} runs; at most ${MAX_EXPERIMENT_RUNS} are possible.`,
      hint: `Use fewer models, values, ${cases ? 'cases, ' : ''}seeds or repeats.`,
    });
  }
  const variations = inLoadOrder(plan, cases);
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
function countRuns({ models, options, factors = {}, seeds, repeats }: ExperimentPlan, cases: number): number {
  const combinations = Object.values(factors).reduce((product, { length }) => product * length, 1);
  const variations = distinctValues(options).length * combinations * cases;
  return distinctModels(models).length * variations * Math.max(1, new Set(seeds).size) * repeats;
}

/** Groups variations that load the model the same way; otherwise keeps their order. */
function inLoadOrder(plan: ExperimentPlan, cases: readonly SuiteCase[] | undefined): Variation[] {
  const combinations = combine(plan.factors ?? {});
  const groups = new Map<string, Variation[]>();
  // Runs of equal option sets would be counted as different tries of one cell.
  for (const options of distinctValues(plan.options)) {
    for (const factors of combinations) {
      for (const one of cases ?? [undefined]) {
        const variation = {
          options,
          ...(plan.factors ? { factors } : {}),
          ...(one === undefined ? {} : { case: one.id }),
        };
        const key = loadKey(plan, variation, one);
        const group = groups.get(key);
        if (group) group.push(variation);
        else groups.set(key, [variation]);
      }
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

function loadKey(
  { settings }: ExperimentPlan,
  { options, factors = {} }: Variation,
  one?: SuiteCase,
): string {
  const varied = factorFields(factors);
  const num_ctx =
    varied.settings.window_tokens ??
    one?.settings?.window_tokens ??
    settings.window_tokens ??
    DEFAULT_WINDOW_TOKENS;
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
export function itemKey({ model, options, factors = {}, seed, repeat, case: id }: ExperimentItem): string {
  return sortedJson([
    fullName(model),
    options,
    factors,
    seed ?? null,
    repeat,
    ...(id === undefined ? [] : [id]),
  ]);
}

/**
 * The request that creates the run of an item, without what has no effect on this run: it may have one on others.
 *
 * @param one the case of the item; missing if the experiment runs no suite
 * @throws {ZodError} when the settings do not fit the mode
 */
export function requestOf(plan: ExperimentPlan, item: ExperimentItem, one?: SuiteCase): NewRun {
  return createRunRequest.parse(withoutUnused(fieldsOf(plan, item, one)), IN_WORDS);
}

/**
 * The fields of a plan that have no effect on the run of an item, each with the reason if this run is the kind to have
 * one. Pure.
 */
export function unusedInRun(
  plan: ExperimentPlan,
  item: ExperimentItem,
  one?: SuiteCase,
): Map<string, string | undefined> {
  const fields = fieldsOf(plan, item, one);
  const varied = factorFields(item.factors ?? {}).settings;
  const reasons = new Map([
    ...refusedFields(fields),
    // Varying a field without effect is refused, whatever its value in this run.
    ...unusedFields(fields).filter(([field]) => Object.hasOwn(varied, field)),
  ]);
  const names = {
    ...recordOf(Object.keys(plan.settings), (name) => `settings.${name}`),
    ...recordOf(Object.keys(varied), (name) => `factors.${name}`),
    ...(plan.workspace === undefined ? {} : { workspace: 'workspace' }),
  };
  return new Map(
    Object.entries(names).flatMap(([field, name]) =>
      reasons.has(field) || !Object.hasOwn(fields, field) ? [[name, reasons.get(field)] as const] : [],
    ),
  );
}

/**
 * The fields of the request of an item. Later sources override earlier ones: the settings of the plan, the case's, the
 * option set, the factors.
 */
function fieldsOf(plan: ExperimentPlan, item: ExperimentItem, one: SuiteCase | undefined) {
  const asked = { model_options: item.options };
  const varied = factorFields(item.factors ?? {});
  const common = {
    ...plan.settings,
    ...(plan.cycles === undefined ? {} : { max_cycles: plan.cycles }),
  };
  const kind = one ? modeOfCase(one) : (plan.mode ?? DEFAULT_EXPERIMENT_MODE);
  return {
    // Nobody is there to send a message.
    ...(offersSetting(kind, 'unattended') ? { autopilot: true, unattended: true } : {}),
    ...(one
      ? {
          // A further attempt sees which check failed, and so the expected answer.
          ...(offersSetting(kind, 'max_attempts') ? { max_attempts: 1 } : {}),
          ...settingsOf(kind, common),
          ...fieldsOfCase(one, plan),
        }
      : common),
    // A varied value overrides the common setting.
    ...namedOptions(asked),
    ...(one ? settingsOf(kind, varied.settings) : varied.settings),
    ...(one ? {} : taskFields(plan)),
    title: titleOf(plan, item),
    model: item.model,
    model_options: {
      ...withoutNamedOptions(item.options),
      ...varied.options,
      ...(item.seed === undefined ? {} : { seed: item.seed }),
    },
  };
}

/** The fields that apply to all runs of an experiment without a suite. */
function taskFields({ mode = DEFAULT_EXPERIMENT_MODE, task, workspace }: ExperimentPlan) {
  return {
    ...modeAndTools(mode),
    task,
    ...(workspace === undefined ? {} : { workspace, workspace_copy: true }),
  };
}

/** The fields of a request that a case sets. Its inline files are written when the run is created. */
function fieldsOfCase(one: SuiteCase, { settings }: ExperimentPlan) {
  const mode = modeOfCase(one);
  const { input, folder, tools = [] } = one;
  const checks = [...checksOfCase(one), ...(offersSetting(mode, 'checks') ? (settings.checks ?? []) : [])];
  return {
    ...one.settings,
    ...(tools.length > 0 ? { tools } : {}),
    ...(checks.length > 0 ? { checks } : {}),
    ...modeAndTools(mode),
    task: input,
    ...(folder === undefined ? {} : { workspace: folder, workspace_copy: true }),
  };
}

/** The settings that a kind of run has; other settings do not apply to its cases. */
function settingsOf(kind: RunKind, settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => hasEffectOn(kind, name)));
}

/**
 * What a plan sets or varies although no case of its suite has such a setting. Pure.
 *
 * @returns the names, with the field of the plan that has them
 */
export function settingsOfNoCase(plan: ExperimentPlan, modes: readonly RunKind[]): string[] {
  const isUnused = (name: string) => !modes.some((mode) => hasEffectOn(mode, name));
  return [
    ...Object.entries(plan.settings).flatMap(([name, value]) =>
      value !== undefined && isUnused(name) ? [`settings.${name}`] : [],
    ),
    ...Object.keys(factorFields(firstValues(plan.factors ?? {})).settings).flatMap((name) =>
      isUnused(name) ? [`factors.${name}`] : [],
    ),
    ...(plan.cycles !== undefined && isUnused('max_cycles') ? ['cycles'] : []),
  ];
}

function firstValues(factors: FactorLists): FactorValues {
  return Object.fromEntries(Object.entries(factors).map(([name, [value = null]]) => [name, value]));
}

/** The title of a run: it lists what distinguishes the runs of the plan. */
function titleOf({ name, options, factors = {}, repeats }: ExperimentPlan, item: ExperimentItem): string {
  const distinct = Object.entries(item.factors ?? {}).filter(
    ([factor]) => (factors[factor]?.length ?? 0) > 1,
  );
  const varied = [...(options.length === 1 ? [] : Object.entries(item.options)), ...distinct];
  const parts = [
    ...(item.case === undefined ? [] : [item.case]),
    item.model,
    ...varied.map(([each, value]) => `${each} ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ...(item.seed === undefined ? [] : [`seed ${item.seed}`]),
    ...(repeats === 1 ? [] : [`${item.repeat} of ${repeats}`]),
  ];
  return textStart(`${name}: ${parts.join(', ')}`, MAX_TITLE_CHARS);
}
