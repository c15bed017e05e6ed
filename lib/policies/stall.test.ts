import { expect, it } from 'vitest';
import { isStall } from './stall.ts';

it('ends after iteration 5 without new information, and after iteration 8 with some in iteration 3 [G10]', () => {
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

it('uses the given threshold', () => {
  expect(isStall(2, 0, 2)).toBe(true);
  expect(isStall(2, 1, 2)).toBe(false);
});
