import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { askedModels } from '../api/asked-models.ts';
import type { NewRun } from '../api/create-run.ts';
import type { ExperimentItem, ExperimentPlan } from '../api/experiment.ts';
import type { SuiteCase } from '../api/suite.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_UNCONFIRMED_RUNS } from '../events/limits.ts';
import { formatNumber, plural } from '../util/numbers.ts';
import { describeFieldProblems } from '../util/schema-problems.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { requestOf, unusedInRun } from './plan-runs.ts';

/** Requests that are checked before other work gets its turn. */
const CHECKED_AT_ONCE = 100;

/** The cases of an experiment by their ID; without a suite, none. */
export type CasesById = ReadonlyMap<string, SuiteCase>;

/**
 * The requests of an experiment, one per model and distinct values of what its admission depends on; each variation of
 * each case is validated.
 *
 * @throws {AppError} `invalid_request` with the case and the field
 */
export async function distinctRequests(
  plan: ExperimentPlan,
  items: readonly ExperimentItem[],
  cases: CasesById,
): Promise<NewRun[]> {
  const variations = new Map<string, ExperimentItem>();
  for (const item of items) {
    const key = sortedJson([item.model, item.options, item.factors ?? {}, item.case ?? null]);
    if (!variations.has(key)) variations.set(key, item);
  }
  const requests = new Map<string, NewRun>();
  let checked = 0;
  for (const item of variations.values()) {
    checked += 1;
    if (checked % CHECKED_AT_ONCE === 0) await nextTurn();
    const request = checkedRequest(plan, item, caseOf(item, cases));
    const { mode, model, budget = {}, checks = [], tools = [], workspace = '' } = request;
    const { operatorModel = '', embeddingModel = '', judges = [] } = askedModels(request);
    const models = [model, operatorModel, embeddingModel, ...judges];
    const depends = [mode, models, { ...budget }, [...tools], workspace];
    requests.set(sortedJson([...depends, checks.map(({ type }) => type)]), request);
  }
  return [...requests.values()];
}

/**
 * Refuses settings and factors that have no effect on any run, because they would silently do nothing.
 *
 * @throws {AppError} `invalid_request` with the field of the plan
 */
export async function requireEffectOnRuns(
  plan: ExperimentPlan,
  items: readonly ExperimentItem[],
  cases: CasesById,
): Promise<void> {
  let unused: Map<string, string | undefined> | undefined;
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % CHECKED_AT_ONCE === 0) await nextTurn();
    const here = unusedInRun(plan, item, caseOf(item, cases));
    const both = [...(unused ?? here)].flatMap(([field, reason]) =>
      here.has(field) ? [[field, reason ?? here.get(field)] as const] : [],
    );
    unused = new Map(both);
    if (unused.size === 0) return;
  }
  const [first] = unused ?? [];
  if (!first) return;
  const [field, reason = 'No run of the plan has this setting.'] = first;
  throw new AppError({
    code: 'invalid_request',
    message: `${field}: ${reason}`,
    hint: 'Remove it, or change the plan so that a run has it.',
  });
}

/** The case of an item; `undefined` if its experiment runs no suite. @throws {RangeError} if the case is missing */
export function caseOf(item: ExperimentItem, cases: CasesById): SuiteCase | undefined {
  if (item.case === undefined) return undefined;
  const found = cases.get(item.case);
  if (!found) throw new RangeError(`The case "${item.case}" of an experiment is not stored.`);
  return found;
}

/** @throws {AppError} `invalid_request` for a number other than that of the runs, or for many runs without it */
export function requireConfirmation(total: number, confirmed: number | undefined): void {
  if (confirmed === total) return;
  if (confirmed !== undefined) {
    throw new AppError({
      code: 'invalid_request',
      message: `confirm_runs: The plan has ${plural(total, 'run')}, not ${formatNumber(confirmed)}.`,
      hint: `Change the plan, or set confirm_runs to ${total} (in a terminal: --confirm ${total}).`,
    });
  }
  if (total <= MAX_UNCONFIRMED_RUNS) return;
  throw new AppError({
    code: 'invalid_request',
    message: `confirm_runs: The plan has ${total} runs, and more than ${MAX_UNCONFIRMED_RUNS} must be confirmed.`,
    hint: `Set confirm_runs to ${total} (in a terminal: --confirm ${total}), or use fewer values, seeds or repeats.`,
  });
}

/** An item's request. @throws {AppError} `invalid_request` if it is not a valid one */
export function checkedRequest(
  plan: ExperimentPlan,
  item: ExperimentItem,
  one: SuiteCase | undefined,
): NewRun {
  try {
    return requestOf(plan, item, one);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const problems = describeFieldProblems(
      error.issues.map((issue) => {
        const [field] = issue.path;
        const isFactor = typeof field === 'string' && Object.hasOwn(item.factors ?? {}, field);
        return isFactor ? { ...issue, path: ['factors', ...issue.path] } : issue;
      }),
      'plan',
    );
    throw new AppError({
      code: 'invalid_request',
      message: `${one ? `Case "${one.id}": ` : ''}${problems.join(' ')}`,
      hint: 'docs/api.md lists the fields.',
      cause: error,
    });
  }
}
