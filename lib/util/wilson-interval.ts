/** The 97.5th percentile of the normal distribution: intervals cover 95 %. */
const Z = 1.959964;

/**
 * The 95 % interval of a share by E. B. Wilson (1927), which also holds for few trials and for shares near 0 and 1.
 *
 * @param passed successes, 0 to `count`
 * @param count trials, at least 1
 * @throws {RangeError} for other numbers
 */
export function wilsonInterval(passed: number, count: number): { low: number; high: number } {
  if (!(count >= 1 && passed >= 0 && passed <= count)) {
    throw new RangeError(`${passed} of ${count} is not a share`);
  }
  const share = passed / count;
  const spread = Z ** 2 / count;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((share * (1 - share)) / count + spread / (4 * count))) / (1 + spread);
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
