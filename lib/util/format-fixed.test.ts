import { expect, it } from 'vitest';
import { formatFixed } from './format-fixed.ts';

it.each([
  [-0.004, 2, '0.00'],
  [-0, 1, '0.0'],
  [-0.4, 0, '0'],
  [-0.006, 2, '-0.01'],
  [-10, 1, '-10.0'],
  [0.667, 2, '0.67'],
])('formats %d with %i decimals as %s', (value, decimals, text) => {
  expect(formatFixed(value, decimals)).toBe(text);
});
