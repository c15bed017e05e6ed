import { type Interval, wilson } from './wilson.ts';

/** Pairs of tries, by which of the two passed. */
export interface Pairs {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/**
 * McNemar's test in its exact form: the two-sided probability that the pairs in which only one passed are split at
 * least as unevenly if both are equally good.
 *
 * @throws {RangeError} for numbers that are not counts
 * @see M. W. Fagerland, S. Lydersen, P. Laake, The McNemar test for binary matched-pairs data, BMC Medical Research
 *   Methodology 13 (2013), the exact conditional test
 */
export function mcnemar({ onlyFirst, onlySecond }: Pick<Pairs, 'onlyFirst' | 'onlySecond'>): number {
  requireCounts([onlyFirst, onlySecond]);
  const count = onlyFirst + onlySecond;
  // The logarithm of C(count, passed) / 2^count, because the factors overflow from about 1000 pairs.
  let logTerm = -count * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let passed = 1; passed <= Math.min(onlyFirst, onlySecond); passed += 1) {
    logTerm += Math.log((count - passed + 1) / passed);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}

/**
 * The difference of two pass rates that were measured in pairs, first minus second, with its 95% interval.
 *
 * @throws {RangeError} without pairs, and for numbers that are not counts
 * @see R. G. Newcombe, Improved confidence intervals for the difference between binomial proportions based on paired
 *   data, Statistics in Medicine 17 (1998), method 10
 */
export function pairedDifference(pairs: Pairs): Interval & { readonly difference: number } {
  const { both, onlyFirst, onlySecond, neither } = pairs;
  requireCounts([both, onlyFirst, onlySecond, neither]);
  const count = both + onlyFirst + onlySecond + neither;
  const first = (both + onlyFirst) / count;
  const second = (both + onlySecond) / count;
  const difference = first - second;
  const ofFirst = wilson(both + onlyFirst, count);
  const ofSecond = wilson(both + onlySecond, count);
  const phi = correlation(pairs);
  const reach = (one: number, other: number) =>
    Math.sqrt(Math.max(0, one ** 2 - 2 * phi * one * other + other ** 2));
  return {
    difference,
    low: Math.max(-1, difference - reach(first - ofFirst.low, ofSecond.high - second)),
    high: Math.min(1, difference + reach(ofFirst.high - first, second - ofSecond.low)),
  };
}

/** The phi coefficient, with a continuity correction where it is positive; 0 if all pairs are alike. */
function correlation({ both, onlyFirst, onlySecond, neither }: Pairs): number {
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  if (margins === 0) return 0;
  const product = both * neither - onlyFirst * onlySecond;
  const half = (both + onlyFirst + onlySecond + neither) / 2;
  return (product > 0 ? Math.max(0, product - half) : product) / Math.sqrt(margins);
}

function requireCounts(counts: readonly number[]): void {
  if (counts.some((count) => !Number.isSafeInteger(count) || count < 0)) {
    throw new RangeError(`${counts.join(', ')} are not counts`);
  }
}
