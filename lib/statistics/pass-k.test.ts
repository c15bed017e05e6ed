import fc from 'fast-check';
import { expect, it } from 'vitest';
import { passAtK, passHatK } from './pass-k.ts';

it('is the share of draws of k tries in which one passes, or all do', () => {
  // Chen et al. (2021), equation 1: 1 - C(7, 5) / C(10, 5). Yao et al. (2024): C(3, 2) / C(10, 2).
  expect(passAtK(3, 10, 5)).toBeCloseTo(1 - 21 / 252, 12);
  expect(passHatK(3, 10, 2)).toBeCloseTo(3 / 45, 12);
  expect(passAtK(0, 5, 5)).toBe(0);
  expect(passAtK(1, 5, 5)).toBe(1);
  expect(passHatK(4, 5, 5)).toBe(0);
  expect(passHatK(5, 5, 5)).toBe(1);
});

/** Counts the subsets of k tries one by one; the first `passed` tries pass. */
function byEnumeration(passed: number, count: number, k: number): { some: number; all: number } {
  let sets = 0;
  let some = 0;
  let all = 0;
  for (let set = 0; set < 2 ** count; set += 1) {
    const drawn = Array.from({ length: count }, (_, index) => index).filter((index) => (set >> index) & 1);
    if (drawn.length !== k) continue;
    sets += 1;
    if (drawn.some((index) => index < passed)) some += 1;
    if (drawn.every((index) => index < passed)) all += 1;
  }
  return { some: some / sets, all: all / sets };
}

it('agrees with counting all draws', () => {
  for (let count = 1; count <= 7; count += 1) {
    for (let passed = 0; passed <= count; passed += 1) {
      for (let k = 1; k <= count; k += 1) {
        const { some, all } = byEnumeration(passed, count, k);
        expect(passAtK(passed, count, k)).toBeCloseTo(some, 12);
        expect(passHatK(passed, count, k)).toBeCloseTo(all, 12);
      }
    }
  }
});

const tries = fc.integer({ min: 2, max: 10_000 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    passed: fc.integer({ min: 0, max: count }),
    k: fc.integer({ min: 1, max: count - 1 }),
  }),
);

it('equals the pass rate for one try; more tries raise pass@k and lower pass^k', () => {
  fc.assert(
    fc.property(tries, ({ passed, count, k }) => {
      expect(passAtK(passed, count, 1)).toBeCloseTo(passed / count, 10);
      expect(passHatK(passed, count, 1)).toBeCloseTo(passed / count, 10);
      expect(passAtK(passed, count, k + 1)).toBeGreaterThanOrEqual(passAtK(passed, count, k) - 1e-12);
      expect(passHatK(passed, count, k + 1)).toBeLessThanOrEqual(passHatK(passed, count, k) + 1e-12);
    }),
  );
});

it('refuses more draws than tries', () => {
  expect(() => passAtK(1, 2, 3)).toThrow(RangeError);
  expect(() => passHatK(3, 2, 1)).toThrow(RangeError);
  expect(() => passAtK(0.5, 2, 1)).toThrow(RangeError);
});
