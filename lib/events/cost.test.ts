import { expect, it } from 'vitest';
import type { ModelPrice } from './config.ts';
import { calculateCost } from './cost.ts';

const usage = { tokensIn: 2_000_000, tokensOut: 500_000, modelMs: 1_800_000 };
const api: ModelPrice = { kind: 'api', input_usd_per_million: 2, output_usd_per_million: 8 };

it('charges input and output per million tokens at an API price [V3]', () => {
  expect(calculateCost(usage, api)).toBe(8);
  expect(calculateCost({ ...usage, tokensOut: 0 }, api)).toBe(4);
});

it('charges electricity for the duration of replies [V3]', () => {
  // Half an hour at 300 W is 0.15 kWh.
  expect(calculateCost(usage, { kind: 'electricity', watts: 300, usd_per_kwh: 0.4 })).toBeCloseTo(0.06, 10);
});

it('returns no cost without a price, instead of 0', () => {
  expect(calculateCost(usage, undefined)).toBeUndefined();
});

it('ignores values that are not numbers [T8]', () => {
  expect(calculateCost({ tokensIn: Number.NaN, tokensOut: -1, modelMs: Number.NaN }, api)).toBe(0);
});
