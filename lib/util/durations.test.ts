import { expect, test } from 'vitest';
import { durationWords, secondsWords } from './durations.ts';

test.each([
  [-5, '< 1 ms'],
  [0, '< 1 ms'],
  [0.9, '< 1 ms'],
  [1, '1 ms'],
  [840, '840 ms'],
  [999.6, '1.0 s'],
  [4210, '4.2 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [93_000, '1 min 33 s'],
  [119_600, '2 min 0 s'],
])('%d ms read as %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});

test('limits keep the seconds they were set in', () => {
  expect([120_000, 1_200_000, 500].map(secondsWords)).toEqual(['120 s', '1,200 s', '0.5 s']);
});
