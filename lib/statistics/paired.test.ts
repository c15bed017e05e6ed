import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mcnemar, pairedDifference } from './paired.ts';

/** Airway hyper-responsiveness (Bentur et al., 2009) and complete response (Cavo et al., 2012). */
const BENTUR = { both: 1, onlyFirst: 1, onlySecond: 7, neither: 12 };
const CAVO = { both: 59, onlyFirst: 6, onlySecond: 16, neither: 80 };

const count = fc.integer({ min: 0, max: 3000 });
const somePairs = fc
  .record({ both: count, onlyFirst: count, onlySecond: count, neither: count })
  .filter((pairs) => Object.values(pairs).some((value) => value > 0));

it('gives the published p-values of the exact test', () => {
  // Fagerland, Lydersen, Laake (2013), table 6.
  expect(mcnemar(BENTUR)).toBeCloseTo(0.0703, 4);
  expect(mcnemar(CAVO)).toBeCloseTo(0.0525, 4);
});

it('gives the published intervals', () => {
  // Fagerland, Lydersen, Laake, Recommended tests and confidence intervals for paired binomial proportions, Statistics
  // in Medicine 33 (2014): the Newcombe square-and-add interval.
  const bentur = pairedDifference(BENTUR);
  expect(bentur.difference).toBeCloseTo(-0.286, 3);
  expect(bentur.low).toBeCloseTo(-0.507, 3);
  expect(bentur.high).toBeCloseTo(-0.026, 3);
  // Altman, Machin, Bryant, Gardner, Statistics with confidence (2000), table 6.2.
  const altman = pairedDifference({ both: 14, onlyFirst: 5, onlySecond: 0, neither: 22 });
  expect(altman.difference).toBeCloseTo(0.122, 3);
  expect(altman.low).toBeCloseTo(0.011, 3);
  expect(altman.high).toBeCloseTo(0.226, 3);
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
