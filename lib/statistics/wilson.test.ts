import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wilson } from './wilson.ts';

it('matches the intervals of another implementation', () => {
  // statsmodels 0.15, proportion_confint(passed, count, method='wilson'); the counts are those of Newcombe (1998), table I.
  expect(wilson(81, 263).low).toBeCloseTo(0.2553, 4);
  expect(wilson(81, 263).high).toBeCloseTo(0.3662, 4);
  expect(wilson(0, 20).high).toBeCloseTo(0.1611, 4);
  expect(wilson(1, 29).low).toBeCloseTo(0.0061, 4);
  expect(wilson(15, 148)).toEqual({ low: expect.closeTo(0.0624, 4), high: expect.closeTo(0.1605, 4) });
});

it('contains the share and stays between 0 and 1', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.float({ min: 0, max: 1, noNaN: true }),
      (count, share) => {
        const passed = Math.round(share * count);
        const { low, high } = wilson(passed, count);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(passed / count + 1e-9);
        expect(high).toBeGreaterThanOrEqual(passed / count - 1e-9);
      },
    ),
  );
});

it('is wider at a higher level', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), (passed) => {
      const usual = wilson(passed, 50);
      const wide = wilson(passed, 50, 0.99);
      expect(wide.high - wide.low).toBeGreaterThan(usual.high - usual.low);
    }),
  );
});

it('refuses what is not a share', () => {
  for (const [passed, count] of [
    [1, 0],
    [-1, 5],
    [6, 5],
    [Number.NaN, 5],
  ] as const) {
    expect(() => wilson(passed, count)).toThrow(RangeError);
  }
});
