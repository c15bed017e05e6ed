import type { ExperimentCell } from '../../api/experiment-cells.ts';
import { plural } from '../../util/numbers.ts';
import { formatCount, formatPercent } from './format.ts';

/** A pass rate with its interval and the runs behind it. */
interface Rate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly passed: number;
  readonly judged: number;
}

/** A pass rate, which is never shown without its interval and its runs (decision 53): `67% (2 of 3, 21% to 94%)`. Pure. */
export function rateWords({ value, low, high, passed, judged }: Rate): string {
  const runs = `${formatCount(passed)} of ${formatCount(judged)}`;
  return `${formatPercent(value)} (${runs}, ${intervalWords({ low, high })})`;
}

/** The interval of a share: `21% to 94%`. Pure. */
export function intervalWords({ low, high }: Pick<Rate, 'low' | 'high'>): string {
  return `${formatPercent(low)} to ${formatPercent(high)}`;
}

/** Judged runs, and the cases behind them; `cases` is missing without a suite. */
interface Judged {
  readonly judged: number;
  readonly cases?: number;
}

/**
 * How to read the intervals of pass rates if cases were repeated: runs of one case are more alike than runs of different
 * cases. `undefined` if each case was run once. Pure.
 */
export function repeatedRatesNote(rates: readonly Judged[]): string | undefined {
  const repeated = rates.flatMap(({ judged, cases }) =>
    cases !== undefined && judged > cases ? [cases] : [],
  );
  const [cases, ...others] = new Set(repeated);
  if (cases === undefined) return undefined;
  const run =
    others.length > 0
      ? 'the cases that were run'
      : cases === 1
        ? 'this case'
        : `these ${plural(cases, 'case')}`;
  return `The intervals treat repeated runs of a case as independent. They hold for ${run}; for other cases, they are too narrow.`;
}

/** Cells that are named by their numbers. */
const MAX_NAMED_CELLS = 5;

/**
 * Which cells lack a judged run of some cases, so that their pass rates are of other cases than those of the other cells;
 * `undefined` if none do. Pure.
 */
export function missingCasesNote(
  cells: readonly Pick<ExperimentCell, 'cell' | 'judged' | 'cases' | 'cases_missing'>[],
): string | undefined {
  const partial = cells.filter(({ judged, cases_missing: missing = 0 }) => judged > 0 && missing > 0);
  const [first, ...others] = partial;
  if (!first) return undefined;
  const { cell, cases = 0, cases_missing: missing = 0 } = first;
  const total = plural(cases + missing, 'case');
  const subject =
    others.length === 0
      ? `Cell ${cell} was judged on ${formatCount(cases)} of ${total}`
      : `${cellNumbers(partial.map((each) => each.cell))} were judged on only some of the ${total}`;
  if (cells.length === 1) return `${subject}.`;
  const rates = others.length === 0 ? 'its pass rate and figures' : 'their pass rates and figures';
  return `${subject}: ${rates} are not comparable with those of other cells. The comparison of two cells uses only the cases that both have.`;
}

/** `Cells 3, 4 and 9`, or of many the number. */
function cellNumbers(numbers: readonly number[]): string {
  if (numbers.length > MAX_NAMED_CELLS) return `${formatCount(numbers.length)} cells`;
  return `Cells ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

/** Whether no two answers to the same case are equal, though a case has several. */
export function allDiffer({
  answers,
  agreeing,
  answered,
}: Pick<ExperimentCell, 'answers' | 'agreeing' | 'answered'>): boolean {
  return answers > answered && agreeing === answered;
}
