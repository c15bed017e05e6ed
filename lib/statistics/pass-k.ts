/**
 * How likely at least one of `k` tries passes: the unbiased estimate from `passed` of `count` tries.
 *
 * @param passed 0 to `count`
 * @param k 1 to `count`
 * @throws {RangeError} for other numbers
 * @see M. Chen et al., Evaluating large language models trained on code (2021), equation 1
 *   (https://arxiv.org/abs/2107.03374)
 */
export function passAtK(passed: number, count: number, k: number): number {
  requireTries(passed, count, k);
  return 1 - drawnAll(count - passed, count, k);
}

/**
 * How likely all of `k` tries pass, from `passed` of `count` tries.
 *
 * @param passed 0 to `count`
 * @param k 1 to `count`
 * @throws {RangeError} for other numbers
 * @see S. Yao et al., τ-bench (2024), section 4, pass^k (https://arxiv.org/abs/2406.12045)
 */
export function passHatK(passed: number, count: number, k: number): number {
  requireTries(passed, count, k);
  return drawnAll(passed, count, k);
}

/** C(some, k) / C(count, k): how likely `k` draws without replacement only hit `some` of `count`. */
function drawnAll(some: number, count: number, k: number): number {
  let share = 1;
  for (let drawn = 0; drawn < k && share > 0; drawn += 1) {
    share *= Math.max(0, some - drawn) / (count - drawn);
  }
  return share;
}

function requireTries(passed: number, count: number, k: number): void {
  const whole = [passed, count, k].every(Number.isSafeInteger);
  if (!whole || passed < 0 || passed > count || k < 1 || k > count) {
    throw new RangeError(`${k} of ${count} tries, ${passed} of them passed`);
  }
}
