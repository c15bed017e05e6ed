/** Beyond this many standard deviations, a double cannot distinguish the probability from 0. */
const FARTHEST = 8;

/**
 * The quantile of the standard normal distribution: 1.96 for 0.975.
 *
 * @param probability between 0 and 1, exclusive
 * @throws {RangeError} for other numbers
 */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError(`${probability} is not a probability`);
  let low = -FARTHEST;
  let high = FARTHEST;
  // Bisection halves 16 standard deviations down to the precision of a double.
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (probabilityBelow(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** G. Marsaglia, Evaluating the normal distribution, Journal of Statistical Software 11 (2004): a Taylor series. */
function probabilityBelow(x: number): number {
  let sum = x;
  let term = x;
  for (let n = 3; Math.abs(term) > 1e-17; n += 2) {
    term *= x ** 2 / n;
    sum += term;
  }
  return 0.5 + (sum * Math.exp(-(x ** 2) / 2)) / Math.sqrt(2 * Math.PI);
}
