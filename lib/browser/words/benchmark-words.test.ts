import { expect, it } from 'vitest';
import { intervalWords, rateWords } from './benchmark-words.ts';

it('writes an interval as a whole, even where a share is not zero but rounds to it', () => {
  const rate = { right: 5, share: 0.05, low: 0.004, high: 0.1 };
  expect(intervalWords(rate)).toBe('(< 1%–10%)');
  expect(rateWords(rate)).toBe('5% (< 1%–10%)');
  expect(rateWords({ right: 1, share: 0.004, low: 0, high: 0.03 })).toBe('< 1% (0%–3%)');
  expect(rateWords(undefined)).toBe('–');
});
