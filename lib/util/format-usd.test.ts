import { expect, it } from 'vitest';
import { formatUsd } from './format-usd.ts';

it.each([
  [0, '$0.00'],
  [1234.5, '$1,234.50'],
  [1, '$1.00'],
  [0.5, '$0.50'],
  [0.0123, '$0.012'],
  [0.00001234, '$0.000012'],
  [0.0000001, '< $0.000001'],
])('formats %d US dollars as %s', (usd, words) => {
  expect(formatUsd(usd)).toBe(words);
});
