import { expect, it } from 'vitest';
import { isStall } from './stall.ts';

it('G10: without a write ends after the fifth iteration, with one in the third after the eighth', () => {
  expect([1, 2, 3, 4, 5].map((iteration) => isStall(iteration, 0))).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  expect([4, 5, 6, 7, 8].map((iteration) => isStall(iteration, 3))).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

it('takes the threshold it is given', () => {
  expect(isStall(2, 0, 2)).toBe(true);
  expect(isStall(2, 1, 2)).toBe(false);
});
