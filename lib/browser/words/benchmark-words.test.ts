import { expect, it } from 'vitest';
import { casesWords, gainWords, rateWords } from './benchmark-words.ts';

it('writes an interval as a whole, even where a share is not zero but rounds to it', () => {
  const rate = { right: 5, share: 0.05, low: 0.004, high: 0.1 };
  expect(rateWords(rate)).toBe('5% (< 1% to 10%)');
  expect(rateWords({ right: 1, share: 0.004, low: 0, high: 0.03 })).toBe('< 1% (0% to 3%)');
  expect(rateWords(undefined)).toBe('–');
});

it('writes a gain in points, and as 0 only if there is none', () => {
  const tests = { p: 0.5, only_native: 0, only_read: 1 };
  expect(gainWords({ difference: 0.124, low: 0.03, high: 0.2, ...tests })).toBe('+12.4 (+3 to +20)');
  // One of 3000 replies.
  expect(gainWords({ difference: 1 / 3000, low: -0.0004, high: 0.002, ...tests })).toBe(
    '+0.03 (−0.04 to +0.2)',
  );
  expect(gainWords({ difference: 0, low: -1e-17, high: 0, ...tests })).toBe('0 (0 to 0)');
  expect(gainWords(undefined)).toBe('–');
});

it('writes the judged cases, and of how many they are if some had no reply', () => {
  expect(casesWords({ judged: 1200, failed: 0 })).toBe('1,200');
  expect(casesWords({ judged: 12, failed: 8 })).toBe('12 of 20');
});
