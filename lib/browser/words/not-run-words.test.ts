import { expect, it } from 'vitest';
import { leftOutLines, notRunLines, openLines } from './not-run-words.ts';

const cell = (...reasons: [message: string, runs: number][]) => ({
  not_run_reasons: reasons.map(([message, runs]) => ({ message, runs })),
});

it('adds up the reasons of all cells, the most frequent first', () => {
  expect(
    notRunLines([cell(['A is missing.', 1]), cell(), cell(['B is missing.', 2], ['A is missing.', 3])]),
  ).toEqual(['4 runs did not run: A is missing.', '2 runs did not run: B is missing.']);
  expect(notRunLines([cell()])).toEqual([]);
});

it('writes out five reasons at most', () => {
  const lines = notRunLines(Array.from({ length: 7 }, (_, index) => cell([`Model ${index} is missing.`, 1])));
  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toBe('2 more runs did not run, for other reasons.');
});

it('counts runs that are left out, and runs without a result', () => {
  const none = { failed: 0, not_run: 0, stopped: 0 };
  expect(
    leftOutLines([
      { ...none, stopped: 1 },
      { failed: 1, not_run: 2, stopped: 2 },
    ]),
  ).toEqual([
    'Pass rates and figures leave out 3 runs that did not run and 3 runs that were stopped.',
    "2 runs failed before the model's first reply; the list of runs counts them as failed.",
  ]);
  expect(leftOutLines([{ ...none, stopped: 1 }])).toEqual([
    'Pass rates and figures leave out 1 run that was stopped.',
  ]);
  expect(leftOutLines([none])).toEqual([]);
  const complete = { runs: 8, done: 6, failed: 2 };
  expect(openLines([complete, { ...complete, done: 5 }])).toEqual(['1 run has no result yet.']);
  expect(openLines([complete])).toEqual([]);
});
