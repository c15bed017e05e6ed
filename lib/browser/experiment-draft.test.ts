import { expect, it } from 'vitest';
import { experimentRequest, MAX_EXPERIMENT_RUNS } from '../api/experiment.ts';
import { emptyExperiment, experimentOf, MAX_RUNS } from './experiment-draft.ts';

const filled = { ...emptyExperiment, name: 'Seeds', models: ['qwen3:4b', 'qwen3:8b'] };

it('O14: every model with every temperature, every seed and as many repeats', () => {
  const read = experimentOf({ ...filled, temperatures: '0, 0.7', seeds: '1-3 9', repeats: '2', cycles: '5' });
  expect(read).toMatchObject({ ok: true, runs: 32 });
  expect(read.ok && experimentRequest.parse(JSON.parse(JSON.stringify(read.request)))).toMatchObject({
    mode: 'explore',
    options: [{ temperature: 0 }, { temperature: 0.7 }],
    seeds: [1, 2, 3, 9],
    repeats: 2,
    cycles: 5,
  });
});

it('leaves to the server what was left empty', () => {
  const read = experimentOf(filled);
  expect(read.ok && experimentRequest.parse(JSON.parse(JSON.stringify(read.request)))).toMatchObject({
    options: [{}],
    seeds: [],
    repeats: 1,
  });
});

it('knows the limit of the server', () => {
  expect(MAX_RUNS).toBe(MAX_EXPERIMENT_RUNS);
});

it('names every field that is wrong, and too many runs', () => {
  const wrong = experimentOf({
    ...emptyExperiment,
    mode: 'task',
    seeds: '1.5',
    temperatures: 'hot',
    repeats: '0',
  });
  expect(wrong.ok === false && Object.keys(wrong.problems).sort()).toEqual(
    ['models', 'name', 'repeats', 'seeds', 'task', 'temperatures'].sort(),
  );
  expect(experimentOf({ ...filled, seeds: '1-150', repeats: '10' })).toMatchObject({ ok: false, runs: 3000 });
});
