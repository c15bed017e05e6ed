import { normalQuantile } from './normal-quantile.ts';

/** A range that covers the true value with a certain confidence. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The confidence level of every interval that Loupe shows. */
const LEVEL = 0.95;

/**
 * The interval of a share by E. B. Wilson (1927), which also holds for few trials and for shares near 0 and 1.
 *
 * @param passed successes, 0 to `count`
 * @param count trials, at least 1
 * @param level confidence between 0 and 1
 * @throws {RangeError} for other numbers
 * @see R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998),
 *   method 3
 */
export function wilson(passed: number, count: number, level = LEVEL): Interval {
  if (!(count >= 1 && passed >= 0 && passed <= count)) {
    throw new RangeError(`${passed} of ${count} is not a share`);
  }
  const z = normalQuantile((1 + level) / 2);
  const share = passed / count;
  const spread = z ** 2 / count;
  const center = (share + spread / 2) / (1 + spread);
  const half = (z * Math.sqrt((share * (1 - share)) / count + spread / (4 * count))) / (1 + spread);
  // Exact at the ends, where rounding could exclude the share itself.
  return {
    low: passed === 0 ? 0 : Math.max(0, center - half),
    high: passed === count ? 1 : Math.min(1, center + half),
  };
}
