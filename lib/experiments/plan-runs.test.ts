import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ExperimentRequest, experimentRequest } from '../api/experiment.ts';
import { csvCell } from '../util/csv.ts';
import { itemKey, planRuns, requestOf } from './plan-runs.ts';
import { resultsCsv } from './results-table.ts';

const plan = (request: Partial<ExperimentRequest>) =>
  experimentRequest.parse({ name: 'Test', models: ['a'], ...request });

it('creates every combination once, numbered in order', () => {
  const items = planRuns(
    plan({
      models: ['a', 'b', 'a'],
      options: [{ temperature: 0 }, { temperature: 1 }],
      seeds: [1, 2],
      repeats: 3,
    }),
  );
  expect(items).toHaveLength(24);
  expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index + 1));
  const keys = items.map(({ model, options, seed, repeat }) =>
    JSON.stringify([model, options, seed, repeat]),
  );
  expect(new Set(keys).size).toBe(24);
});

it('runs a model once, under the first of its names', () => {
  const items = planRuns(plan({ models: ['qwen3', 'qwen3:latest', 'qwen3:8b'] }));
  expect(items.map(({ model }) => model)).toEqual(['qwen3', 'qwen3:8b']);
});

it('runs equal option sets once', () => {
  const options = [
    { temperature: 0, top_k: 1 },
    { top_k: 1, temperature: 0 },
    { temperature: 1, top_k: 1 },
  ];
  const items = planRuns(plan({ options, repeats: 2 }));
  expect(items.map((item) => [item.options.temperature, item.repeat])).toEqual([
    [0, 1],
    [0, 2],
    [1, 1],
    [1, 2],
  ]);
});

it('cuts a long title between characters', () => {
  for (const name of ['Test', 'Tests']) {
    const varied = plan({
      name,
      mode: 'task',
      task: 'Go',
      factors: { system: ['😀'.repeat(200), 'Be brief.'] },
    });
    const titles = planRuns(varied).map((item) => requestOf(varied, item).title ?? '');
    expect(titles.every((title) => title.isWellFormed())).toBe(true);
  }
});

it('loads each model as seldom as possible', () => {
  const options: ExperimentRequest['options'] = [
    { num_ctx: 2048, top_k: 1 },
    { num_ctx: 4096 },
    { num_ctx: 2048, top_k: 2 },
    { top_k: 3 },
  ];
  const items = planRuns(plan({ models: ['a', 'b'], options, seeds: [1, 2], repeats: 2 }));
  const loads = items.map(({ model, options: set }) => `${model} ${set.num_ctx}`);
  const changes = loads.filter((load, index) => load !== loads[index - 1]);
  expect(changes).toEqual(['a 2048', 'a 4096', 'a undefined', 'b 2048', 'b 4096', 'b undefined']);
});

it('groups option sets without a window with those that name the default window', () => {
  const windows = (settings: ExperimentRequest['settings'], ...sizes: (number | undefined)[]) => {
    const options = sizes.map(
      (num_ctx): Record<string, number> => (num_ctx === undefined ? {} : { num_ctx }),
    );
    return planRuns(plan({ settings, options })).map(({ options: set }) => set.num_ctx);
  };
  expect(windows({}, undefined, 8192, 32_768)).toEqual([undefined, 32_768, 8192]);
  expect(windows({ window_tokens: 8192 }, undefined, 32_768, 8192)).toEqual([undefined, 8192, 32_768]);
});

it('loads each model once per distinct set of load options', () => {
  const option = fc.record({ num_ctx: fc.constantFrom(1024, 2048), top_k: fc.constantFrom(1, 2, 3) });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
      fc.array(option, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
      (models, options, seeds) => {
        const items = planRuns(plan({ models, options, seeds }));
        const loads = items.map((item) => `${item.model} ${item.options.num_ctx}`);
        const changes = loads.filter((load, index) => load !== loads[index - 1]);
        expect(changes).toHaveLength(new Set(loads).size);
      },
    ),
  );
});

it('rejects more runs than the maximum', () => {
  const seeds = Array.from({ length: 200 }, (_, n) => n);
  expect(() => planRuns(plan({ seeds, repeats: 51 }))).toThrow(/10200 runs/);
  // The product is computed, not listed.
  const values = Array.from({ length: 50 }, (_, n) => n / 50);
  const factors = { temperature: values, top_p: values, 'model_options.min_p': values, compact_at: values };
  expect(() => planRuns({ ...plan({ seeds, repeats: 200 }), factors })).toThrow(/250000000000 runs/);
});

it('runs every combination of factors, in an order that loads each window once', () => {
  const varied = plan({
    mode: 'task',
    task: 'Do it.',
    models: ['a', 'b'],
    factors: { think: [false, 'low'], window_tokens: [4096, 8192], 'model_options.num_gpu': [1, 2] },
    seeds: [1, 2],
  });
  const items = planRuns(varied);
  expect(items).toHaveLength(32);
  expect(new Set(items.map(itemKey)).size).toBe(32);
  const loads = items.map(
    ({ model, factors }) => `${model} ${factors?.window_tokens} ${factors?.['model_options.num_gpu']}`,
  );
  expect(loads.filter((load, index) => load !== loads[index - 1])).toHaveLength(8);
  const last = items.at(-1);
  expect(last && requestOf(varied, last)).toMatchObject({
    title: 'Test: b, think low, window_tokens 8192, model_options.num_gpu 2, seed 2',
    think: 'low',
    window_tokens: 8192,
    model_options: { num_gpu: 2, seed: 2 },
  });
});

it('loads each model once per distinct window and load option, whatever else varies', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(1024, 2048, 32_768), { minLength: 1 }),
      fc.uniqueArray(fc.constantFrom(-1, 0, 20), { minLength: 1 }),
      fc.uniqueArray(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (windows, layers, temperatures, temperatureFirst) => {
        const loading = { window_tokens: windows, 'model_options.num_gpu': layers };
        const factors = temperatureFirst
          ? { temperature: temperatures, ...loading }
          : { ...loading, temperature: temperatures };
        const items = planRuns({ ...plan({ repeats: 2 }), factors });
        expect(items).toHaveLength(windows.length * layers.length * temperatures.length * 2);
        const loads = items.map(({ factors: of }) => `${of?.window_tokens} ${of?.['model_options.num_gpu']}`);
        expect(loads.filter((load, index) => load !== loads[index - 1])).toHaveLength(
          windows.length * layers.length,
        );
      },
    ),
  );
});

it('creates requests that can start a run', () => {
  const explore = plan({
    models: ['m'],
    options: [{ temperature: 0.5, num_ctx: 4096 }],
    seeds: [7],
    repeats: 2,
    cycles: 9,
    settings: { calls_per_cycle: 5, diversity: {} },
  });
  const [item] = planRuns(explore);
  if (!item) throw new Error('no item');
  expect(requestOf(explore, item)).toMatchObject({
    mode: 'explore',
    title: 'Test: m, seed 7, 1 of 2',
    model: 'm',
    window_tokens: 4096,
    model_options: { temperature: 0.5, seed: 7 },
    max_cycles: 9,
    calls_per_cycle: 5,
  });
  // Runs that only differ in one option must be distinguishable in a list.
  const two = plan({ models: ['m'], options: [{ temperature: 0.5, top_k: 1 }, { temperature: 1 }] });
  expect(planRuns(two).map((each) => requestOf(two, each).title)).toEqual([
    'Test: m, temperature 0.5, top_k 1',
    'Test: m, temperature 1',
  ]);
  const task = plan({ mode: 'task', task: 'Do it.', settings: { tier: 'trivial' } });
  const [first] = planRuns(task);
  if (!first) throw new Error('no item');
  expect(requestOf(task, first)).toMatchObject({ mode: 'task', task: 'Do it.', tier: 'trivial' });
  const wrong = plan({ settings: { tier: 'trivial' } });
  expect(() => requestOf(wrong, first)).toThrow(/tier/);
});

it.each(['task', 'prompt', 'explore'] as const)(
  'varied window and reply limit override the common settings in mode %s',
  (mode) => {
    const varied = plan({
      mode,
      ...(mode === 'explore' ? {} : { task: 'Do it.' }),
      options: [{ num_predict: 5, num_ctx: 2048 }, { top_k: 1 }],
      settings: { num_predict: [70, 90], window_tokens: 4096 },
    });
    expect(planRuns(varied).map((item) => requestOf(varied, item))).toMatchObject([
      { num_predict: [5, 5], window_tokens: 2048, model_options: {} },
      { num_predict: [70, 90], window_tokens: 4096, model_options: { top_k: 1 } },
    ]);
  },
);

it.each<Record<string, number | string>>([{ num_predict: -1 }, { num_ctx: '8k' }, { num_ctx: 1.5 }])(
  'refuses an experiment whose options hold %o instead of leaving it out',
  (option) => {
    const [name] = Object.keys(option);
    const read = experimentRequest.safeParse({ name: 'Test', models: ['a'], options: [option] });
    expect(read.error?.issues.map(({ path }) => path)).toEqual([['options', 0, name]]);
  },
);

it('creates tasks that work on a copy of a folder, and prompts without tools [T9, T10]', () => {
  const asked = { name: 'Both', models: ['m'], task: 'Count the words.' };
  const task = experimentRequest.parse({ ...asked, mode: 'task', workspace: '/texts' });
  const [first] = planRuns(task);
  expect(first && requestOf(task, first)).toMatchObject({
    ...{ mode: 'task', agentic: true, workspace: '/texts', workspace_copy: true },
  });
  const prompt = experimentRequest.parse({
    ...asked,
    mode: 'prompt',
    options: [{ top_p: 0.5, stop: ['END'] }],
  });
  const [second] = planRuns(prompt);
  expect(second && requestOf(prompt, second)).toMatchObject({
    ...{ mode: 'task', agentic: false, model_options: { top_p: 0.5, stop: ['END'] } },
  });
});

it('writes CSV without executable formulas', () => {
  expect(csvCell('plain')).toBe('plain');
  expect(csvCell('a, "b"\nc')).toBe('"a, ""b""\nc"');
  expect(csvCell('=1+1')).toBe("'=1+1");
  expect(csvCell('@x,')).toBe('"\'@x,"');
  expect(csvCell(-1)).toBe('-1');
  expect(csvCell(undefined)).toBe('');
  const items = planRuns(plan({ options: [{ top_k: 1 }, { temperature: 0 }] }));
  const lines = resultsCsv(items).trimEnd().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(
    /^position,run_id,model,case,seed,repeat,state,option_temperature,option_top_k,status,/,
  );
  expect(lines[1]).toMatch(/^1,,a,,,1,waiting,,1,/);
  const lists = { think: [false], parser_layers: [['native']], window_tokens: [4096] };
  const varied = resultsCsv(planRuns(plan({ factors: lists }))).split('\r\n');
  expect(varied[0]).toMatch(/,state,factor_parser_layers,factor_think,factor_window_tokens,status,/);
  expect(varied[1]).toMatch(/^1,,a,,,1,waiting,"\[""native""\]",false,4096,/);
  // A negative number is not a formula.
  const [, below] = resultsCsv(planRuns(plan({ options: [{ num_gpu: -1, use_mmap: false }] }))).split('\r\n');
  expect(below).toMatch(/^1,,a,,,1,waiting,-1,false,/);
});

it('leaves out settings of a stored plan that have no effect on its prompts', () => {
  const stored = plan({
    mode: 'prompt',
    task: 'Say it.',
    settings: { tier: 'trivial', system: 'Be terse.' },
  });
  const [item] = planRuns(stored);
  if (!item) throw new Error('no item');
  expect(requestOf(stored, item)).not.toHaveProperty('tier');
  expect(requestOf(stored, item)).toMatchObject({ system: 'Be terse.' });
});
