import { expect, it } from 'vitest';
import { priceRequest } from './model-price.ts';

it.each([
  { kind: 'api', input_usd_per_million: -1, output_usd_per_million: 1 },
  { kind: 'api', input_usd_per_million: 0, output_usd_per_million: 0 },
  { kind: 'api', input_usd_per_million: 1 },
  { kind: 'electricity', watts: 0, usd_per_kwh: 0.3 },
  { kind: 'electricity', watts: 300, usd_per_kwh: 0.3, output_usd_per_million: 1 },
  { kind: 'free' },
])('rejects the price %j', (price) => {
  expect(priceRequest.safeParse({ model: 'm', price }).success).toBe(false);
});
