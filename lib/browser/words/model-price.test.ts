import { expect, it } from 'vitest';
import { modelPrice } from '../../events/config.ts';
import { priceDraft, priceWords, readPriceDraft } from './model-price.ts';

const api = { kind: 'api', input_usd_per_million: 0.5, output_usd_per_million: 1.5 } as const;
const electricity = { kind: 'electricity', watts: 1350, usd_per_kwh: 0.32 } as const;

it.each([api, electricity])('fills the form in with a price and reads it back: %j', (price) => {
  const read = readPriceDraft(priceDraft(price));
  expect(read).toEqual({ ok: true, price });
  expect(read.ok && modelPrice.safeParse(read.price).success).toBe(true);
});

it('names each field that is wrong', () => {
  expect(readPriceDraft(priceDraft(undefined))).toEqual({
    ok: false,
    problems: { input: 'A number from 0 to 1,000,000.', output: 'A number from 0 to 1,000,000.' },
  });
  expect(readPriceDraft({ ...priceDraft(api), input: '0', output: '0' })).toMatchObject({
    problems: { output: 'One of the two prices must be above 0.' },
  });
  expect(readPriceDraft({ ...priceDraft(electricity), watts: '0', kwh: 'cheap' })).toEqual({
    ok: false,
    problems: { watts: 'A number above 0, at most 1,000,000.', kwh: 'A number above 0, at most 1,000.' },
  });
});

it('accepts a comma as decimal point', () => {
  expect(readPriceDraft({ ...priceDraft(electricity), kwh: '0,4' })).toMatchObject({
    price: { usd_per_kwh: 0.4 },
  });
});

it('words a price', () => {
  expect(priceWords(api)).toBe('$0.50 in, $1.50 out per million tokens');
  expect(priceWords(electricity)).toBe('1,350 W at $0.32 per kWh');
});
