import { expect, it } from 'vitest';
import { experimentRequest } from '../../api/experiment.ts';
import { draftOfCheck, newCheck } from './check-draft.ts';
import { emptyExperiment, experimentOf, kindOfRuns } from './experiment-draft.ts';

const filled = {
  ...emptyExperiment,
  mode: 'explore' as const,
  name: 'Seeds',
  models: ['qwen3:4b', 'qwen3:8b'],
};

it('every model with every temperature, every seed and as many repeats', () => {
  const read = experimentOf({ ...filled, temperatures: '0, 0.7', seeds: '1-3 9', repeats: '2', cycles: '5' });
  expect(read).toMatchObject({ ok: true, runs: 32 });
  expect(read.ok && experimentRequest.parse(JSON.parse(JSON.stringify(read.request)))).toMatchObject({
    mode: 'explore',
    factors: { temperature: [0, 0.7] },
    seeds: [1, 2, 3, 9],
    repeats: 2,
    cycles: 5,
  });
});

it('varies any setting and any model option', () => {
  const read = experimentOf({
    ...filled,
    temperatures: '0, 0.7',
    factors: 'window_tokens: 4096, 8192\n\n model_options.use_mmap = true \nthink: false, low',
  });
  expect(read).toMatchObject({ ok: true, runs: 16 });
  expect(read.ok && experimentRequest.parse(read.request).factors).toEqual({
    temperature: [0, 0.7],
    window_tokens: [4096, 8192],
    'model_options.use_mmap': [true],
    think: [false, 'low'],
  });
});

it.each([
  ['no factor', { factors: 'hot' }],
  ['a temperature in the wrong place', { factors: 'temperature: 1', temperatures: '0' }],
  ['cycles in two places', { factors: 'max_cycles: 1, 2', cycles: '3' }],
])('says what is wrong with %s', (_, change) => {
  const read = experimentOf({ ...filled, ...change });
  expect(read.ok === false && Object.keys(read.problems)).toEqual(['factors']);
});

it('has the checks that its kind of run can have, all of them filled in', () => {
  const check = { type: 'file_exists', path: 'a.md' } as const;
  const task = { ...filled, mode: 'task' as const, task: 'Write it.', checks: [draftOfCheck(check)] };
  const read = experimentOf(task);
  expect(read.ok && read.request.settings).toEqual({ checks: [check] });
  const exploration = experimentOf({ ...task, mode: 'explore', diversity: false });
  expect(exploration.ok && exploration.request.settings).toBeUndefined();
  const refused = { problems: { checks: expect.stringMatching(/^Check 1: /) } };
  expect(experimentOf({ ...task, mode: 'prompt' })).toMatchObject(refused);
  expect(experimentOf({ ...task, checks: [newCheck('command')] })).toMatchObject(refused);
});

it('asks to confirm more than 1000 runs, and sends their number', () => {
  const many = { ...filled, seeds: '1-150', repeats: '10' };
  expect(experimentOf(many)).toMatchObject({
    ok: false,
    runs: 3000,
    problems: { confirmed: expect.any(String) },
  });
  // Confirmed before the last change of the form.
  expect(experimentOf({ ...many, confirmed: 1500 }).ok).toBe(false);
  const read = experimentOf({ ...many, confirmed: 3000 });
  expect(read.ok && read.request.confirm_runs).toBe(3000);
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

it('leaves empty fields to the server', () => {
  const read = experimentOf(filled);
  expect(read.ok && experimentRequest.parse(JSON.parse(JSON.stringify(read.request)))).toMatchObject({
    options: [{}],
    seeds: [],
    repeats: 1,
  });
});

it('names every field that is wrong, and too many runs', () => {
  const wrong = experimentOf({
    ...emptyExperiment,
    seeds: '1.5',
    temperatures: 'hot',
    repeats: '0',
  });
  expect(wrong.ok === false && Object.keys(wrong.problems).sort()).toEqual(
    ['models', 'name', 'repeats', 'seeds', 'task', 'temperatures'].sort(),
  );
  expect(experimentOf({ ...filled, seeds: '1-300' })).toMatchObject({
    problems: { seeds: expect.stringContaining('At most 200') },
  });
  expect(experimentOf({ ...filled, seeds: '1-150', repeats: '100' })).toMatchObject({
    ...{ ok: false, runs: 30_000, problems: { repeats: expect.stringContaining('at most') } },
  });
});

it('runs the cases of a suite that have one of the tags, in place of a task', () => {
  const suite = {
    ...{ reference: { id: 's1' }, name: 'Colors' },
    cases: [
      { mode: 'prompt' as const, tags: ['a'] },
      { mode: 'task' as const, tags: ['a', 'b'] },
      { mode: 'task' as const, tags: [] },
    ],
  };
  const draft = {
    ...filled,
    work: 'suite' as const,
    suite,
    task: 'left over',
    checks: [newCheck('command')],
  };
  const all = experimentOf(draft);
  expect(all).toMatchObject({ ok: true, runs: 6 });
  const some = experimentOf({ ...draft, tags: ['b', 'a'], repeats: '3' });
  expect(some).toMatchObject({ ok: true, runs: 12 });
  expect(some.ok && experimentRequest.parse(JSON.parse(JSON.stringify(some.request)))).toMatchObject({
    ...{ suite: { id: 's1', tags: ['b', 'a'] }, repeats: 3, task: '', settings: {} },
  });
  expect(kindOfRuns(draft)).toBe('task');
  expect(kindOfRuns({ ...draft, tags: ['a'] })).toBe('prompt');
  expect(kindOfRuns({ ...draft, tags: ['b'] })).toBe('task');
  expect(kindOfRuns({ ...draft, suite: null })).toBe(draft.mode);
  expect(experimentOf({ ...draft, suite: null })).toMatchObject({
    problems: { suite: 'Choose a suite.' },
  });
});
