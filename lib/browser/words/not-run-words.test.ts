import { expect, it } from 'vitest';
import { notRunLines, openLines, stoppedLines } from './not-run-words.ts';

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

it('counts runs that were stopped, and runs without a result', () => {
  expect(stoppedLines([{ stopped: 1 }, { stopped: 2 }])).toEqual([
    '3 runs were stopped: neither passed nor failed.',
  ]);
  expect(stoppedLines([{ stopped: 1 }])).toEqual(['1 run was stopped: neither passed nor failed.']);
  expect(stoppedLines([{ stopped: 0 }])).toEqual([]);
  const complete = { runs: 8, done: 6, failed: 2 };
  expect(openLines([complete, { ...complete, done: 5 }])).toEqual(['1 run has no result yet.']);
  expect(openLines([complete])).toEqual([]);
});
