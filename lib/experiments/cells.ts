import { mean, min, quantile, sum } from 'd3-array';
import type { ExperimentItem, ExperimentResult, ExperimentSummary } from '../api/experiment.ts';
import {
  CELL_FIGURES,
  type ExperimentCell,
  type FigureSummary,
  type NotRunReason,
  type PairsReply,
  type PassK,
  PROVENANCE_FIELDS,
  type Provenance,
  type RunPair,
} from '../api/experiment-cells.ts';
import { didRun, hasPassed, isFirstTry, outcomeOfResult } from '../api/result-outcome.ts';
import { definedOf } from '../api/run-settings.ts';
import { AppError } from '../errors/app-error.ts';
import type { OutcomeKind } from '../events/termination.ts';
import { mcnemar, pairedDifference } from '../statistics/paired.ts';
import { passAtK, passHatK } from '../statistics/pass-k.ts';
import { wilson } from '../statistics/wilson.ts';
import { memoized } from '../util/memoized.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** The numbers of tries for which pass@k and pass^k are given. */
const TRIES = [1, 2, 3, 5, 10, 20, 50, 100];
/** Pairs that are listed. */
const MAX_LISTED_PAIRS = 50;

/** Outcomes with a complete text. */
const ANSWERS: ReadonlySet<OutcomeKind> = new Set(['answered', 'answered_checks_failed', 'cycles_done']);

/**
 * The items of each cell, in the order of their first items. Computed once per list: a page asks for several views of the
 * same ten thousand items.
 */
export const itemsByCell: (items: readonly ExperimentItem[]) => readonly ExperimentItem[][] =
  memoized(groupByCell);

function groupByCell(items: readonly ExperimentItem[]): ExperimentItem[][] {
  const cells = new Map<string, ExperimentItem[]>();
  const keys = new Map<string, string>();
  for (const item of items) {
    const variation = [item.model, item.options, item.factors ?? {}];
    // Sorting is slow, and most items are written in the same order.
    const written = JSON.stringify(variation);
    const key = keys.get(written) ?? sortedJson(variation);
    keys.set(written, key);
    const cell = cells.get(key);
    if (cell) cell.push(item);
    else cells.set(key, [item]);
  }
  return [...cells.values()];
}

/** The items of one cell. @throws {AppError} `invalid_request` if there is no such cell */
export function itemsOfCell(items: readonly ExperimentItem[], cell: number): ExperimentItem[] {
  const cells = itemsByCell(items);
  const found = cells[cell - 1];
  if (found) return found;
  throw new AppError({
    code: 'invalid_request',
    message: `There is no cell ${cell}; the experiment has ${cells.length}.`,
    hint: 'GET /api/experiments/{id}/cells lists them.',
  });
}

/** How many runs of each model passed, out of those that passed or failed. Pure. */
export function verdictsOf(items: readonly ExperimentItem[]): NonNullable<ExperimentSummary['verdicts']> {
  const counts = new Map<string, { model: string; passed: number; judged: number }>();
  for (const { model, result } of items) {
    const passed = result && hasPassed(result);
    if (passed === undefined) continue;
    const count = counts.get(model) ?? { model, passed: 0, judged: 0 };
    counts.set(model, {
      model,
      passed: count.passed + (passed ? 1 : 0),
      judged: count.judged + 1,
    });
  }
  return [...counts.values()];
}

/** The results of an experiment by model, options and factors. Pure. */
export function cellsOf(items: readonly ExperimentItem[]): ExperimentCell[] {
  return itemsByCell(items).flatMap((members, index) => {
    const [first] = members;
    return first ? [cellOf(index + 1, first, members)] : [];
  });
}

function cellOf(
  cell: number,
  { model, options, factors }: ExperimentItem,
  members: readonly ExperimentItem[],
): ExperimentCell {
  const done = members.flatMap(({ result }) => (result ? [result] : []));
  const results = done.filter(didRun);
  const judged = results.filter(isJudged);
  const passed = judged.filter(hasPassed);
  const [first] = results;
  const byCase = resultsByCase(members);
  const planned = new Set(members.flatMap((item) => item.case ?? [])).size;
  const cases = byCase.filter((ran) => ran.some(isJudged)).length;
  return {
    cell,
    model,
    options,
    ...(factors === undefined ? {} : { factors }),
    runs: members.length,
    done: done.length,
    failed: members.filter(({ status }) => status === 'failed').length,
    not_run: done.length - results.length,
    not_run_reasons: notRunReasons(members),
    stopped: results.length - judged.length,
    passed: passed.length,
    judged: judged.length,
    ...(planned > 0 ? { cases, cases_missing: planned - cases } : {}),
    first_try: passed.filter(isFirstTry).length,
    checked: results.filter(({ verification }) => verification !== undefined).length,
    ...(judged.length === 0
      ? {}
      : { rate: { value: passed.length / judged.length, ...wilson(passed.length, judged.length) } }),
    pass_k: passK(byCase),
    ...answersOf(byCase),
    endings: endingsOf(results),
    calls_by_format: formatsOf(judged),
    figures: Object.fromEntries(
      CELL_FIGURES.flatMap((name) => {
        const summary = summarize(judged.flatMap((result) => result[name] ?? []));
        return summary ? [[name, summary]] : [];
      }),
    ),
    tokens_estimated: judged.reduce((sum, { tokens_estimated = 0 }) => sum + tokens_estimated, 0),
    ...(first ? { sent: { num_ctx: first.num_ctx, num_predict: first.num_predict } } : {}),
    provenance: provenanceOf(results),
  };
}

function notRunReasons(members: readonly ExperimentItem[]): NotRunReason[] {
  const counts = new Map<string, number>();
  for (const { result, error } of members) {
    const message = result && !didRun(result) ? result.message : error?.message;
    if (message !== undefined) counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  return [...counts].map(([message, runs]) => ({ message, runs })).sort((a, b) => b.runs - a.runs);
}

/** The results of each case that ran; without a suite, all of them together. */
function resultsByCase(members: readonly ExperimentItem[]): ExperimentResult[][] {
  const cases = new Map<string | undefined, ExperimentResult[]>();
  for (const { case: id, result } of members) {
    if (!result || !didRun(result)) continue;
    const own = cases.get(id);
    if (own) own.push(result);
    else cases.set(id, [result]);
  }
  return [...cases.values()];
}

/** Whether a run passed or failed, so that it says something about its model. */
function isJudged(result: ExperimentResult): boolean {
  return hasPassed(result) !== undefined;
}

/** The mean over the cases, up to the number of tries that every case has. */
function passK(byCase: readonly ExperimentResult[][]): PassK[] {
  const counts = byCase.flatMap((results) => {
    const verdicts = results.map(hasPassed).filter((verdict) => verdict !== undefined);
    const passed = verdicts.filter(Boolean).length;
    return verdicts.length === 0 ? [] : [{ passed, judged: verdicts.length }];
  });
  const most = min(counts, ({ judged }) => judged) ?? 0;
  return TRIES.filter((k) => k <= most).map((k) => ({
    k,
    pass_at_k: mean(counts, ({ passed, judged }) => passAtK(passed, judged, k)) ?? 0,
    pass_hat_k: mean(counts, ({ passed, judged }) => passHatK(passed, judged, k)) ?? 0,
  }));
}

/** Complete answers, and how many of them are the most frequent one of their case. */
function answersOf(
  byCase: readonly ExperimentResult[][],
): Pick<ExperimentCell, 'answers' | 'agreeing' | 'answered'> {
  const counts = byCase.map((results) => {
    const answers = results.filter((result) => ANSWERS.has(outcomeOfResult(result).kind));
    const texts = new Map<string, number>();
    for (const { output } of answers) {
      const text = output.replaceAll(/\s+/g, ' ').trim();
      texts.set(text, (texts.get(text) ?? 0) + 1);
    }
    return { answers: answers.length, agreeing: Math.max(0, ...texts.values()) };
  });
  return {
    answers: sum(counts, ({ answers }) => answers),
    agreeing: sum(counts, ({ agreeing }) => agreeing),
    answered: counts.filter(({ answers }) => answers > 0).length,
  };
}

function endingsOf(results: readonly ExperimentResult[]): ExperimentCell['endings'] {
  const endings: ExperimentCell['endings'] = {};
  for (const result of results) {
    const { kind } = outcomeOfResult(result);
    endings[kind] = (endings[kind] ?? 0) + 1;
  }
  return endings;
}

function summarize(values: readonly number[]): FigureSummary | undefined {
  const average = mean(values);
  if (average === undefined) return undefined;
  const at = (share: number) => quantile(values, share) ?? average;
  return { mean: average, median: at(0.5), low: at(0.25), high: at(0.75), runs: values.length };
}

function formatsOf(results: readonly ExperimentResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { calls_by_format = {} } of results) {
    for (const [format, count] of Object.entries(calls_by_format)) {
      counts[format] = (counts[format] ?? 0) + count;
    }
  }
  return counts;
}

/** What the results were measured with; the seed, which differs between runs, is left out of the options. */
function provenanceOf(results: readonly ExperimentResult[]): Provenance[] {
  const found = new Map<string, Provenance>();
  for (const result of results) {
    const { options_sent: options, ...provenance } = definedOf(pick(result, PROVENANCE_FIELDS));
    const { seed: _seed, ...sent } = options ?? {};
    const whole = { ...provenance, ...(options ? { options_sent: sent } : {}) };
    const key = JSON.stringify(whole);
    if (key !== '{}') found.set(key, whole);
  }
  return [...found.values()];
}

function pick<Value, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Partial<Pick<Value, Name>> {
  const picked: Partial<Pick<Value, Name>> = {};
  for (const name of names) picked[name] = value[name];
  return picked;
}

/**
 * Compares two cells by their pairs of runs with the same case, seed and repeat. Runs without a partner, or without a
 * verdict, are left out. Pure.
 *
 * @throws {AppError} `invalid_request` if there is no such cell, or both are the same
 */
export function comparePairs(items: readonly ExperimentItem[], a: number, b: number): PairsReply {
  if (a === b) {
    throw new AppError({
      code: 'invalid_request',
      message: `Cell ${a} cannot be compared with itself.`,
      hint: 'Name two different cells.',
    });
  }
  const partners = new Map(itemsOfCell(items, b).map((item) => [pairKey(item), item]));
  const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
  const pairs: PairsReply['pairs'] = { only_a: [], only_b: [] };
  const cases = new Set<string>();
  for (const item of itemsOfCell(items, a)) {
    const partner = partners.get(pairKey(item));
    const passed = item.result && hasPassed(item.result);
    const partnerPassed = partner?.result && hasPassed(partner.result);
    if (passed === undefined || partnerPassed === undefined) continue;
    if (item.case !== undefined) cases.add(item.case);
    if (passed && partnerPassed) counts.both += 1;
    else if (!(passed || partnerPassed)) counts.neither += 1;
    else {
      counts[passed ? 'onlyFirst' : 'onlySecond'] += 1;
      list(pairs[passed ? 'only_a' : 'only_b'], item, partner);
    }
  }
  const { both, onlyFirst, onlySecond, neither } = counts;
  const reply = {
    ...{ a, b, both, only_a: onlyFirst, only_b: onlySecond, neither },
    ...(cases.size > 0 ? { cases: cases.size } : {}),
    pairs,
  };
  if (both + onlyFirst + onlySecond + neither === 0) return reply;
  const { difference, low, high } = pairedDifference(counts);
  return { ...reply, difference: { value: difference, low, high }, p_value: mcnemar(counts) };
}

function pairKey({ case: id = '', seed, repeat }: ExperimentItem): string {
  return `${id}/${seed ?? ''}/${repeat}`;
}

function list(pairs: RunPair[], one: ExperimentItem, other: ExperimentItem | undefined): void {
  if (pairs.length < MAX_LISTED_PAIRS && one.run_id !== undefined && other?.run_id !== undefined) {
    pairs.push({ a: one.run_id, b: other.run_id });
  }
}
