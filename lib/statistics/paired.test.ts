import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mcnemar, pairedDifference } from './paired.ts';

/** Data of the R package contingencytables: airway hyper-responsiveness (Bentur 2009), complete response (Cavo 2012). */
const BENTUR = { both: 1, onlyFirst: 1, onlySecond: 7, neither: 12 };
const CAVO = { both: 59, onlyFirst: 6, onlySecond: 16, neither: 80 };

const count = fc.integer({ min: 0, max: 3000 });
const somePairs = fc
  .record({ both: count, onlyFirst: count, onlySecond: count, neither: count })
  .filter((pairs) => Object.values(pairs).some((value) => value > 0));

it('gives the p-values of other implementations of the exact test', () => {
  // SciPy, binomtest(onlyFirst, onlyFirst + onlySecond, 0.5), and statsmodels 0.15, mcnemar(table, exact=True).
  expect(mcnemar(BENTUR)).toBeCloseTo(0.0703125, 10);
  expect(mcnemar(CAVO)).toBeCloseTo(0.052478790283203125, 10);
  expect(mcnemar({ onlyFirst: 5, onlySecond: 12 })).toBeCloseTo(0.143463134765625, 10);
  expect(mcnemar({ onlyFirst: 40, onlySecond: 70 })).toBeCloseTo(0.005447429511444476, 10);
  expect(mcnemar({ onlyFirst: 1200, onlySecond: 1300 })).toBeCloseTo(0.047681865221043444, 10);
});

it('gives the intervals of other implementations', () => {
  // Computed with the Wilson intervals of statsmodels 0.15. The R package contingencytables prints -0.1186 to -0.0046 for
  // the data of Cavo (Newcombe_square_and_add_CI_paired_2x2); the last data are table 6.2 in Altman et al., Statistics
  // with confidence (2000), the example of confIntPairedProportion in the R package biostatUZH.
  const rows = [
    [BENTUR, -0.285714, -0.50692, -0.025559],
    [CAVO, -0.062112, -0.118621, -0.004625],
    [{ both: 14, onlyFirst: 5, onlySecond: 0, neither: 22 }, 0.121951, 0.011483, 0.226493],
  ] as const;
  for (const [pairs, difference, low, high] of rows) {
    const found = pairedDifference(pairs);
    expect(found.difference).toBeCloseTo(difference, 6);
    expect(found.low).toBeCloseTo(low, 6);
    expect(found.high).toBeCloseTo(high, 6);
  }
});

it('has no opinion without pairs that differ', () => {
  expect(mcnemar({ onlyFirst: 0, onlySecond: 0 })).toBe(1);
  expect(pairedDifference({ both: 5, onlyFirst: 0, onlySecond: 0, neither: 5 }).difference).toBe(0);
});

it('is symmetric: exchanging the two changes the sign and not the p-value', () => {
  fc.assert(
    fc.property(somePairs, (pairs) => {
      const exchanged = { ...pairs, onlyFirst: pairs.onlySecond, onlySecond: pairs.onlyFirst };
      expect(mcnemar(exchanged)).toBeCloseTo(mcnemar(pairs), 10);
      const { difference, low, high } = pairedDifference(pairs);
      const other = pairedDifference(exchanged);
      expect(other.difference).toBeCloseTo(-difference, 10);
      expect(other.low).toBeCloseTo(-high, 10);
      expect(other.high).toBeCloseTo(-low, 10);
    }),
  );
});

it('gives a probability, and an interval around the difference within -1 and 1', () => {
  fc.assert(
    fc.property(somePairs, (pairs) => {
      const p = mcnemar(pairs);
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      const { difference, low, high } = pairedDifference(pairs);
      expect(low).toBeLessThanOrEqual(difference + 1e-9);
      expect(high).toBeGreaterThanOrEqual(difference - 1e-9);
      expect(low).toBeGreaterThanOrEqual(-1);
      expect(high).toBeLessThanOrEqual(1);
    }),
  );
});

it('refuses what is not a count', () => {
  expect(() => mcnemar({ onlyFirst: -1, onlySecond: 2 })).toThrow(RangeError);
  expect(() => pairedDifference({ both: 0.5, onlyFirst: 0, onlySecond: 0, neither: 0 })).toThrow(RangeError);
  expect(() => pairedDifference({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 })).toThrow(RangeError);
});
