import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalQuantile } from './normal-quantile.ts';

it('gives the tabulated percentage points', () => {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1.
  expect(normalQuantile(0.5)).toBeCloseTo(0, 12);
  expect(normalQuantile(0.95)).toBeCloseTo(1.644854, 6);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 6);
  expect(normalQuantile(0.995)).toBeCloseTo(2.575829, 6);
  expect(normalQuantile(0.999)).toBeCloseTo(3.090232, 6);
});

it('rises with the probability and is symmetric', () => {
  const probability = fc.double({ min: 0.0001, max: 0.9999, noNaN: true });
  fc.assert(
    fc.property(probability, probability, (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      expect(normalQuantile(low)).toBeLessThanOrEqual(normalQuantile(high));
      expect(normalQuantile(1 - one)).toBeCloseTo(-normalQuantile(one), 6);
    }),
  );
});

it('refuses what is not a probability', () => {
  for (const wrong of [0, 1, -1, Number.NaN]) expect(() => normalQuantile(wrong)).toThrow(RangeError);
});
