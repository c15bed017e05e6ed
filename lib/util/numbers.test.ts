import { expect, test } from 'vitest';
import { formatCount, formatNumber, plural } from './numbers.ts';

test('counts have thousands separators and no fraction', () => {
  expect([0, 999, 12_345, 1.6].map(formatCount)).toEqual(['0', '999', '12,345', '2']);
});

test('numbers keep their fraction to the thousandth', () => {
  expect([12_345, 0.5, 1 / 3].map(formatNumber)).toEqual(['12,345', '0.5', '0.333']);
});

test('only exactly one is singular', () => {
  expect(plural(1, 'file')).toBe('1 file');
  expect([0, 0.5, 1200].map((value) => plural(value, 'reply', 'replies'))).toEqual([
    '0 replies',
    '0.5 replies',
    '1,200 replies',
  ]);
});
