import type { ExperimentItem, ExperimentResult } from '../../api/experiment.ts';
import { OUTCOMES } from '../../events/outcome.ts';
import type { Outcome, OutcomeKind } from '../../events/termination.ts';
import { sortedJson } from '../../util/sorted-json.ts';

/** Outcomes with a complete text. */
const ANSWERS: ReadonlySet<OutcomeKind> = new Set(['answered', 'answered_checks_failed', 'cycles_done']);

/** What the runs of one model with one set of options came to: repeats and seeds of the same thing. */
export interface ResultGroup {
  readonly key: string;
  readonly model: string;
  readonly options: ExperimentItem['options'];
  /** Window and reply limit as they were sent; missing before there is a result. */
  readonly sent?: Pick<ExperimentResult, 'num_ctx' | 'num_predict'>;
  readonly runs: number;
  /** Those with a result. */
  readonly done: number;
  /** Runs with a complete answer whose checks, if any, passed, or with all cycles done. */
  readonly answered: number;
  /** Runs with a complete answer, whatever their checks. */
  readonly answers: number;
  /** Whose checks passed, of those that had checks. */
  readonly passed: number;
  readonly checked: number;
  /** The largest number of answers that are the very same, but for blanks. */
  readonly agreeing: number;
  /** Medians over the runs with a result; missing without any. */
  readonly tokensOut?: number;
  /** Of all their tokens, how many are estimates. */
  readonly tokensEstimated: number;
  /** In US dollars, over those whose model had a price. */
  readonly costUsd?: number;
  readonly seconds?: number;
}

/** The outcome of a run, also of one whose result was stored before outcomes were recorded. */
export function outcomeOfResult({
  outcome,
  termination_reason,
  verification,
  cycles,
}: ExperimentResult): Outcome {
  if (outcome) return outcome;
  if (termination_reason !== 'final_answer')
    return { kind: isKind(termination_reason) ? termination_reason : 'error' };
  if (cycles > 0) return { kind: 'cycles_done' };
  return {
    kind: verification === undefined || verification === 'pass' ? 'answered' : 'answered_checks_failed',
  };
}

function isKind(text: string): text is OutcomeKind {
  return Object.hasOwn(OUTCOMES, text);
}

/** The results of an experiment by model and options, in the order of the plan. Pure. */
export function resultGroups(items: readonly ExperimentItem[]): ResultGroup[] {
  const groups = new Map<string, ExperimentItem[]>();
  for (const item of items) {
    const key = `${item.model} ${sortedJson(item.options)}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups].flatMap(([key, members]) => {
    const [first] = members;
    return first ? [groupOf(key, first, members)] : [];
  });
}

function groupOf(
  key: string,
  { model, options }: ExperimentItem,
  members: readonly ExperimentItem[],
): ResultGroup {
  const results = members.flatMap(({ result }) => (result ? [result] : []));
  const kinds = results.map((result) => outcomeOfResult(result).kind);
  const answers = results.filter((_, index) => ANSWERS.has(kinds[index] ?? 'error'));
  const counts = new Map<string, number>();
  for (const { output } of answers) {
    const text = output.replaceAll(/\s+/g, ' ').trim();
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return {
    key,
    model,
    options,
    ...(results[0] ? { sent: { num_ctx: results[0].num_ctx, num_predict: results[0].num_predict } } : {}),
    runs: members.length,
    done: results.length,
    answered: kinds.filter((kind) => kind === 'answered' || kind === 'cycles_done').length,
    answers: answers.length,
    passed: results.filter(({ verification }) => verification === 'pass').length,
    checked: results.filter(({ verification }) => verification !== undefined).length,
    agreeing: Math.max(0, ...counts.values()),
    tokensEstimated: results.reduce((sum, { tokens_estimated = 0 }) => sum + tokens_estimated, 0),
    tokensOut: median(results.map(({ tokens_out }) => tokens_out)),
    costUsd: median(results.flatMap(({ cost_usd: cost }) => (cost === undefined ? [] : [cost]))),
    seconds: median(results.map(({ seconds }) => seconds)),
  };
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined || sorted.length % 2 === 1) return upper;
  return (upper + (sorted[middle - 1] ?? upper)) / 2;
}
