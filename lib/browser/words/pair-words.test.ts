import { expect, it } from 'vitest';
import { pairsWords, pointsWords, repeatsNote } from './pair-words.ts';

const pairs = { both: 20, only_a: 10, only_b: 6, neither: 4 };

it('names the cases of repeated pairs, and what their repeats mean for the interval', () => {
  expect(pairsWords({ ...pairs, cases: 20 })).toBe(
    '40 pairs with the same case, seed and repeat, of 20 cases',
  );
  expect(repeatsNote({ ...pairs, cases: 20 })).toContain('They hold for these 20 cases;');
  expect(pairsWords({ ...pairs, cases: 1 })).toBe('40 pairs with the same case, seed and repeat, of 1 case');
  expect(repeatsNote({ ...pairs, cases: 1 })).toContain('They hold for this case;');
});

it('says nothing about repeats if each case has one pair, or there are no cases', () => {
  for (const each of [pairs, { ...pairs, cases: 40 }]) {
    expect(pairsWords(each)).toBe('40 pairs with the same case, seed and repeat');
    expect(repeatsNote(each)).toBeUndefined();
  }
});

it('never writes a difference of pass rates as 0 if there is one', () => {
  expect([0.124, -0.031, 0.0099, 0.0025, -0.0002, 0, -1e-17].map(pointsWords)).toEqual([
    ...['+12', '−3', '+1', '+0.3', '−0.02', '0', '0'],
  ]);
});
