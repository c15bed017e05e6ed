import { expect, it } from 'vitest';
import { experimentRequest } from '../../api/experiment.ts';
import { MAX_EXPERIMENT_RUNS } from '../../events/limits.ts';
import { emptyExperiment, experimentOf } from './experiment-draft.ts';

const filled = { ...emptyExperiment, name: 'Seeds', models: ['qwen3:4b', 'qwen3:8b'] };

it('every model with every temperature, every seed and as many repeats', () => {
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

it('takes any model option, with every combination of values', () => {
  const read = experimentOf({
    ...filled,
    temperatures: '0, 0.7',
    options: 'num_ctx: 4096, 8192\n\n use_mmap = true \nstop: END',
  });
  expect(read).toMatchObject({ ok: true, runs: 8 });
  expect(read.ok && experimentRequest.parse(read.request).options).toEqual([
    { temperature: 0, num_ctx: 4096, use_mmap: true, stop: 'END' },
    { temperature: 0, num_ctx: 8192, use_mmap: true, stop: 'END' },
    { temperature: 0.7, num_ctx: 4096, use_mmap: true, stop: 'END' },
    { temperature: 0.7, num_ctx: 8192, use_mmap: true, stop: 'END' },
  ]);
});

it.each([
  ['no option', 'hot'],
  ['an option twice', 'top_p: 1\ntop_p: 2'],
  ['an option without a value', 'top_p: ,'],
  ['seeds in the wrong place', 'seed: 1, 2'],
  ['too many sets', `top_k: ${Array.from({ length: 51 }, (_, index) => index).join(', ')}`],
])('says what is wrong with %s', (_, options) => {
  const read = experimentOf({ ...filled, options });
  expect(read.ok === false && Object.keys(read.problems)).toEqual(['options']);
});

it('asks each task to work on a copy of a folder, and prompts for no folder', () => {
  const task = { ...filled, task: 'Count the words.', workspace: '/home/ada/texts' };
  const read = experimentOf({ ...task, mode: 'task' });
  expect(read.ok && read.request).toMatchObject({ mode: 'task', workspace: '/home/ada/texts' });
  const prompt = experimentOf({ ...task, mode: 'prompt' });
  expect(prompt.ok && prompt.request).not.toHaveProperty('workspace');
  expect(experimentOf({ ...task, mode: 'task', workspace: 'texts' })).toMatchObject({
    problems: { workspace: expect.any(String) },
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
  expect(MAX_EXPERIMENT_RUNS).toBe(MAX_EXPERIMENT_RUNS);
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
