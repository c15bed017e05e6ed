import { expect, it } from 'vitest';
import type { ExperimentCell } from '../../api/experiment-cells.ts';
import { factorResponse, numericFactors } from './cell-series.ts';

const cell = (change: Partial<ExperimentCell>): ExperimentCell => ({
  ...{
    cell: 1,
    model: 'a',
    options: {},
    runs: 4,
    done: 4,
    failed: 0,
    stopped: 0,
    not_run: 0,
    not_run_reasons: [],
    passed: 0,
    judged: 4,
  },
  ...{
    first_try: 0,
    checked: 0,
    pass_k: [],
    answers: 0,
    agreeing: 0,
    answered: 0,
    endings: {},
    calls_by_format: {},
    figures: {},
  },
  ...{ tokens_estimated: 0, provenance: [] },
  ...change,
});

const cells = [
  cell({ factors: { temperature: 1, think: false, top_k: 5 }, passed: 1 }),
  cell({ factors: { temperature: 0, think: false, top_k: 5 }, passed: 4 }),
  cell({ factors: { temperature: 1, think: true, top_k: 5 }, passed: 2 }),
  cell({ factors: { temperature: 0, think: true, top_k: 5 }, passed: 3 }),
  cell({ model: 'b', factors: { temperature: 0, think: true, top_k: 5 }, judged: 0 }),
];

it('finds the factors with several numbers', () => {
  expect(numericFactors(cells)).toEqual(['temperature']);
  expect(numericFactors([cell({ options: { num_ctx: 1 } }), cell({ options: { num_ctx: 2 } })])).toEqual([
    'num_ctx',
  ]);
  expect(numericFactors([])).toEqual([]);
});

it('adds up the runs of a model at each value, over all values of the other factors', () => {
  const { values, models, pooled } = factorResponse(cells, 'temperature');
  expect(values).toEqual([0, 1]);
  expect(pooled).toBe(true);
  expect(models).toMatchObject([
    {
      model: 'a',
      rates: [
        { passed: 7, judged: 8, value: 7 / 8 },
        { passed: 3, judged: 8 },
      ],
    },
    { model: 'b', rates: [undefined, undefined] },
  ]);
});

it('pools nothing if no other factor has several values', () => {
  const alone = [
    cell({ factors: { temperature: 0 }, passed: 1 }),
    cell({ factors: { temperature: 1 }, passed: 2 }),
    cell({ model: 'b', factors: { temperature: 0 }, passed: 3 }),
  ];
  expect(factorResponse(alone, 'temperature').pooled).toBe(false);
});

it('counts the cases behind a rate that combines cells once', () => {
  const of = (think: boolean, cases: number) => cell({ factors: { temperature: 0, think }, cases });
  const other = cell({ factors: { temperature: 1, think: true }, cases: 4 });
  const { models } = factorResponse([of(true, 4), of(false, 3), other], 'temperature');
  expect(models[0]?.rates).toMatchObject([
    { judged: 8, cases: 4 },
    { judged: 4, cases: 4 },
  ]);
  const [without] = factorResponse(cells, 'temperature').models;
  expect(without?.rates[0]).not.toHaveProperty('cases');
});
