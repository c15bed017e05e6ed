import type { ExperimentItem } from '../../api/experiment.ts';
import { sortedJson } from '../../util/sorted-json.ts';

/** What the runs of one model with one set of options came to: repeats and seeds of the same thing. */
export interface ResultGroup {
  readonly key: string;
  readonly model: string;
  readonly options: ExperimentItem['options'];
  readonly runs: number;
  /** Those with a result. */
  readonly done: number;
  /** Ended with `final_answer`. */
  readonly answered: number;
  /** Whose checks passed, of those that had checks. */
  readonly passed: number;
  readonly checked: number;
  /** The largest number of runs that gave the very same answer, but for blanks. */
  readonly agreeing: number;
  /** Medians over the runs with a result; missing without any. */
  readonly tokensOut?: number;
  readonly seconds?: number;
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
  const answers = results.filter(({ termination_reason }) => termination_reason === 'final_answer');
  const counts = new Map<string, number>();
  for (const { output } of answers) {
    const text = output.replaceAll(/\s+/g, ' ').trim();
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return {
    key,
    model,
    options,
    runs: members.length,
    done: results.length,
    answered: answers.length,
    passed: results.filter(({ verification }) => verification === 'pass').length,
    checked: results.filter(({ verification }) => verification !== undefined).length,
    agreeing: Math.max(0, ...counts.values()),
    tokensOut: median(results.map(({ tokens_out }) => tokens_out)),
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
