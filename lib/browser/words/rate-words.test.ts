import { expect, it } from 'vitest';
import { wilson } from '../../statistics/wilson.ts';
import { allDiffer, missingCasesNote, rateWords, repeatedRatesNote } from './rate-words.ts';

it('writes a pass rate with its runs and its interval', () => {
  expect(rateWords({ ...wilson(2, 3), value: 2 / 3, passed: 2, judged: 3 })).toBe('67% (2 of 3, 21% to 94%)');
  expect(rateWords({ ...wilson(1200, 1200), value: 1, passed: 1200, judged: 1200 })).toBe(
    '100% (1,200 of 1,200, 99% to 100%)',
  );
});

it('says for which cases the intervals of repeated runs hold', () => {
  expect(repeatedRatesNote([{ judged: 100, cases: 20 }])).toBe(
    'The intervals treat repeated runs of a case as independent. They hold for these 20 cases; for other cases, they are too narrow.',
  );
  expect(repeatedRatesNote([{ judged: 5, cases: 1 }])).toContain('They hold for this case;');
  const two = [
    { judged: 40, cases: 20 },
    { judged: 30, cases: 15 },
  ];
  expect(repeatedRatesNote(two)).toContain('They hold for the cases that were run;');
});

it('says nothing if each case was run once, or there are no cases', () => {
  expect(repeatedRatesNote([{ judged: 20, cases: 20 }, { judged: 40 }])).toBeUndefined();
  expect(repeatedRatesNote([])).toBeUndefined();
});

it('recognizes answers of which no two to the same case are equal', () => {
  expect(allDiffer({ answers: 5, agreeing: 1, answered: 1 })).toBe(true);
  expect(allDiffer({ answers: 40, agreeing: 20, answered: 20 })).toBe(true);
  expect(allDiffer({ answers: 40, agreeing: 21, answered: 20 })).toBe(false);
  // Nothing to compare.
  expect(allDiffer({ answers: 20, agreeing: 20, answered: 20 })).toBe(false);
  expect(allDiffer({ answers: 0, agreeing: 0, answered: 0 })).toBe(false);
});

it('names the cells whose pass rates are of only some of the cases', () => {
  const cell = (number: number, cases: number, missing: number, judged = cases) => ({
    ...{ cell: number, judged, cases, cases_missing: missing },
  });
  const apart = 'are not comparable with those of other cells.';
  expect(missingCasesNote([cell(1, 4, 0), cell(2, 3, 1)])).toContain(
    `Cell 2 was judged on 3 of 4 cases: its pass rate and figures ${apart}`,
  );
  expect(missingCasesNote([cell(1, 2, 2), cell(2, 4, 0), cell(3, 3, 1)])).toContain(
    `Cells 1 and 3 were judged on only some of the 4 cases: their pass rates and figures ${apart}`,
  );
  expect(missingCasesNote([1, 2, 3, 4, 5, 6].map((number) => cell(number, 3, 1)))).toContain(
    '6 cells were judged on only some of the 4 cases:',
  );
  expect(missingCasesNote([cell(1, 3, 1)])).toBe('Cell 1 was judged on 3 of 4 cases.');
});

it('says nothing about cases if a cell has all of them or no pass rate, or there are none', () => {
  const none = { cell: 2, judged: 0, cases: 0, cases_missing: 4 };
  expect(missingCasesNote([{ cell: 1, judged: 8, cases: 4, cases_missing: 0 }, none])).toBeUndefined();
  expect(missingCasesNote([{ cell: 1, judged: 8 }])).toBeUndefined();
});
