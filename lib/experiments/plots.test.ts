import { expect, it } from 'vitest';
import type { ExperimentItem } from '../api/experiment.ts';
import { suiteCases } from '../api/suite.ts';
import { caseGrid, distributionOf } from './plots.ts';

const cases = suiteCases.parse([
  { id: 'a', input: 'A', tags: ['t'] },
  { id: 'b', input: 'B' },
]);

const item = (position: number, change: Partial<ExperimentItem>, kind?: 'answered' | 'stall' | 'stopped') =>
  ({
    ...{ position, model: 'm', options: {}, repeat: 1, status: 'done' },
    ...(kind && {
      run_id: `r${position}`,
      result: {
        ...{ status: 'completed', termination_reason: 'x', message: '', iterations: 1, cycles: 0 },
        ...{ seconds: 10 - position, model_calls: 1, tool_calls: 0, failed_tool_calls: 0, tokens_in: 1 },
        ...{ tokens_out: 1, memories: 0, messages: 0, files_written: 0, output: '', outcome: { kind } },
      },
    }),
    ...change,
  }) as ExperimentItem;

const items = [
  item(1, { case: 'a' }, 'answered'),
  item(2, { case: 'a', repeat: 2 }, 'stall'),
  item(3, { case: 'b' }, 'stopped'),
  item(4, { case: 'a', model: 'n' }, 'answered'),
  item(5, { case: 'b', model: 'n', status: 'waiting' }),
];

it('counts what became of each case in each cell, and names a run that is alone', () => {
  expect(caseGrid(items.slice(0, 4), cases)).toEqual({
    cells: [
      { cell: 1, model: 'm' },
      { cell: 2, model: 'n' },
    ],
    cases: [
      {
        ...{ id: 'a', tags: ['t'] },
        squares: [
          { passed: 1, judged: 2, stopped: 0, open: 0, runs: 2 },
          { passed: 1, judged: 1, stopped: 0, open: 0, runs: 1, run_id: 'r4' },
        ],
      },
      {
        id: 'b',
        tags: [],
        squares: [{ passed: 0, judged: 0, stopped: 1, open: 0, runs: 1, run_id: 'r3' }, null],
      },
    ],
  });
  expect(caseGrid(items, cases).cases[1]?.squares[1]).toEqual({
    ...{ passed: 0, judged: 0, stopped: 0, open: 1, runs: 1 },
  });
  expect(caseGrid(items, []).cases).toEqual([]);
});

it('lists a figure of every judged run by cell in ascending order, with its verdict', () => {
  expect(distributionOf(items, 'seconds').cells).toEqual([
    {
      ...{ cell: 1, model: 'm' },
      values: [
        { value: 8, run_id: 'r2', passed: false },
        { value: 9, run_id: 'r1', passed: true },
      ],
    },
    { cell: 2, model: 'n', values: [{ value: 6, run_id: 'r4', passed: true }] },
  ]);
  expect(distributionOf(items, 'cost_usd').cells[0]?.values).toEqual([]);
});
