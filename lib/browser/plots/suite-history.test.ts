import { expect, it } from 'vitest';
import type { ExperimentSummary } from '../../api/experiment.ts';
import { suiteHistory } from './suite-history.ts';

const experiment = (id: string, created_at: number, change: Partial<ExperimentSummary>) =>
  ({
    ...{ id, name: id, mode: 'task', status: 'finished', created_at, updated_at: created_at },
    ...{ total: 4, done: 4, failed: 0 },
    plan: { name: id, models: ['m'], options: [{}], seeds: [], repeats: 1, task: '', settings: {} },
    ...change,
  }) satisfies ExperimentSummary;

const suite = (id: string) => ({ id, name: 'S', hash: 'h1', cases: 2, modes: ['task' as const] });

it('orders the pass rates of the models in a suite by time', () => {
  const points = suiteHistory(
    [
      experiment('later', 2, { suite: suite('s'), verdicts: [{ model: 'm', passed: 4, judged: 4 }] }),
      experiment('other', 3, { suite: suite('t'), verdicts: [{ model: 'm', passed: 1, judged: 4 }] }),
      experiment('task', 4, { verdicts: [{ model: 'm', passed: 1, judged: 4 }] }),
      experiment('older', 1, {
        suite: suite('s'),
        verdicts: [
          { model: 'm', passed: 1, judged: 4 },
          { model: 'n', passed: 2, judged: 4 },
        ],
      }),
      experiment('waiting', 5, { suite: suite('s') }),
    ],
    's',
  );
  expect(points.map(({ experiment: id, model, value }) => [id, model, value])).toEqual([
    ['older', 'm:latest', 0.25],
    ['older', 'n:latest', 0.5],
    ['later', 'm:latest', 1],
  ]);
  expect(points[0]?.low).toBeLessThan(0.25);
});

it('treats the two names of a model as one model', () => {
  const points = suiteHistory(
    [
      experiment('plain', 1, { suite: suite('s'), verdicts: [{ model: 'm', passed: 1, judged: 4 }] }),
      experiment('full', 2, { suite: suite('s'), verdicts: [{ model: 'm:latest', passed: 2, judged: 4 }] }),
      experiment('both', 3, {
        suite: suite('s'),
        verdicts: [
          { model: 'm', passed: 1, judged: 2 },
          { model: 'm:latest', passed: 2, judged: 2 },
        ],
      }),
    ],
    's',
  );
  expect(points.map(({ model, value }) => [model, value])).toEqual([
    ['m:latest', 0.25],
    ['m:latest', 0.5],
    ['m:latest', 0.75],
  ]);
});
