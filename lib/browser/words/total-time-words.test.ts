import { expect, it } from 'vitest';
import { totalTimeWords } from './total-time-words.ts';

const cell = (judged: number, ended = judged) => ({
  figures: { seconds: { mean: 2, median: 1, low: 1, high: 4, runs: judged } },
  ...{ judged, done: ended, failed: 0 },
});

it('adds up the time of the judged runs, and says how many they are if others have ended as well', () => {
  expect(totalTimeWords([cell(10), cell(5)])).toBe('30 s');
  expect(totalTimeWords([cell(10), cell(5, 8)])).toBe('30 s in 15 judged runs');
  expect(totalTimeWords([{ ...cell(1), failed: 1 }])).toBe('2.0 s in 1 judged run');
});

it('says nothing before a run is judged', () => {
  expect(totalTimeWords([])).toBeUndefined();
  expect(totalTimeWords([{ figures: {}, judged: 0, done: 2, failed: 1 }])).toBeUndefined();
});
