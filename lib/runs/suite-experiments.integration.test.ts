import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ExperimentRequest, experimentRequest, extendExperimentRequest } from '../api/experiment.ts';
import type { SuiteCaseInput } from '../api/suite.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { cellsOf, comparePairs } from '../experiments/cells.ts';
import { resultsCsv } from '../experiments/results-table.ts';
import { says } from '../testing/loop-harness.ts';

let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;

const open = () =>
  openRunService(
    readEnvironment({ LOUPE_DATA_DIR: join(folder, 'data'), OLLAMA_HOST: fake.url, LOUPE_MIN_FREE_MB: '0' }),
  );

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-suite-experiments-'));
  mkdirSync(join(folder, 'texts'));
  writeFileSync(join(folder, 'texts', 'b.txt'), 'from the folder');
  fake = await startFakeOllama({
    models: [{ name: 'blue' }, { name: 'red' }, { name: 'green' }],
    scenarios: ['blue', 'red', 'green'].map((name) => ({ name, steps: [says(`It is ${name}.`)] })),
  });
  opened = await open();
});

afterEach(async () => {
  await opened.close();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

const CASES: SuiteCaseInput[] = [
  {
    id: 'inline',
    input: 'Which color?',
    target: ['blue', 'azure'],
    files: { 'in/a.txt': 'text' },
    tags: ['read'],
  },
  {
    ...{
      id: 'folder',
      input: 'Read b.txt.',
      folder: '',
      tools: ['read_file'],
      settings: { tier: 'trivial' },
    },
    ...{ checks: [{ type: 'file_contains', path: 'b.txt', text: 'folder' }], tags: ['read'] },
  },
  { id: 'prompt', mode: 'prompt', input: 'Say red.', target: 'Red' },
];

/** Stores the suite with the folder of this test, and returns its ID. */
const stored = async (cases = CASES) => {
  const texts = join(folder, 'texts');
  const own = cases.map((one) => (one.folder === undefined ? one : { ...one, folder: texts }));
  return (await opened.suites.create({ suite: { name: 'Colors', cases: own } })).suite;
};

const plan = (request: Partial<ExperimentRequest>) =>
  experimentRequest.parse({ name: 'Colors', models: ['blue', 'red'], ...request });

const finished = (id: string) =>
  vi.waitFor(
    async () => {
      const reply = await opened.experiments.get(id);
      expect(reply.experiment.status).toBe('finished');
      return reply;
    },
    { timeout: 20_000, interval: 20 },
  );

const configOf = async (runId: string | undefined) => (await opened.service.stored.get(runId ?? '')).config;

it('runs each case with its task, files, mode, tools, settings and checks', async () => {
  const { id, hash } = await stored();
  const { experiment } = await opened.experiments.create(plan({ suite: { id } }));
  expect(experiment).toMatchObject({
    ...{ mode: 'task', total: 6, plan: { suite: { id, hash } } },
    suite: { id, name: 'Colors', hash, cases: 3, modes: ['task', 'prompt'] },
  });
  const { items } = await finished(experiment.id);
  expect(items.map(({ model, case: one, result }) => [model, one, result?.outcome?.kind])).toEqual([
    ['blue', 'inline', 'answered'],
    ['blue', 'folder', 'answered'],
    ['blue', 'prompt', 'answered_checks_failed'],
    ['red', 'inline', 'answered_checks_failed'],
    ['red', 'folder', 'answered'],
    ['red', 'prompt', 'answered'],
  ]);
  const [inline, copied, prompt] = await Promise.all(items.map(({ run_id }) => configOf(run_id)));
  expect(readFileSync(join(inline?.workspace ?? '', 'in', 'a.txt'), 'utf8')).toBe('text');
  expect(inline).toMatchObject({
    ...{ title: 'Colors: inline, blue', max_attempts: 1, task: 'Which color?' },
    checks: [{ type: 'answer_contains', text: ['blue', 'azure'] }],
  });
  expect(copied).toMatchObject({ tools: ['read_file'], tier: 'trivial', copied_from: join(folder, 'texts') });
  expect(readFileSync(join(copied?.workspace ?? '', 'b.txt'), 'utf8')).toBe('from the folder');
  expect(copied?.workspace).not.toBe(join(folder, 'texts'));
  expect(prompt).toMatchObject({ agentic: false, workspace: '' });

  expect(cellsOf(items)).toMatchObject([
    { model: 'blue', runs: 3, passed: 2 },
    { model: 'red', runs: 3, passed: 2 },
  ]);
  expect(comparePairs(items, 1, 2)).toMatchObject({ both: 1, only_a: 1, only_b: 1, neither: 0 });
  const [header = '', row = ''] = resultsCsv(items).split('\r\n');
  expect(row.split(',')[header.split(',').indexOf('case')]).toBe('inline');
});

it('runs the cases of a model one after another, and those with another window together', async () => {
  const { id } = await stored([
    { id: 'a', input: 'A', settings: { window_tokens: 4096 } },
    { id: 'b', input: 'B' },
    { id: 'c', input: 'C', settings: { window_tokens: 4096 } },
  ]);
  const { experiment } = await opened.experiments.create(plan({ suite: { id }, seeds: [1, 2] }));
  const { items } = await finished(experiment.id);
  expect(items.map((item) => `${item.model} ${item.case} ${item.seed}`).slice(0, 7)).toEqual([
    ...['blue a 1', 'blue a 2', 'blue c 1', 'blue c 2', 'blue b 1', 'blue b 2'],
    'red a 1',
  ]);
});

it('keeps the cases as they were, even when the suite is changed and deleted meanwhile', async () => {
  const { id, hash } = await stored([{ id: 'a', input: 'First words' }]);
  const { experiment } = await opened.experiments.create(plan({ suite: { id }, models: ['blue'] }));
  await finished(experiment.id);
  await opened.suites.update(id, { suite: { name: 'Colors', cases: [{ id: 'a', input: 'Other words' }] } });
  await opened.suites.delete(id);
  await opened.close();
  opened = await open();
  const more = extendExperimentRequest.parse({ models: ['green'], repeats: 2 });
  await opened.experiments.extend(experiment.id, more);
  const { experiment: extended, items } = await finished(experiment.id);
  expect(extended).toMatchObject({ done: 4, suite: { hash } });
  const tasks = await Promise.all(items.map(async ({ run_id }) => (await configOf(run_id)).task));
  expect(tasks).toEqual(Array(4).fill('First words'));
  expect(new Set(items.map(({ run_id }) => run_id)).size).toBe(4);
  expect(await opened.experiments.cases(experiment.id)).toEqual([{ id: 'a', input: 'First words' }]);
});

it('resumes after a restart and repeats no case', async () => {
  const { id } = await stored();
  const { experiment } = await opened.experiments.create(plan({ suite: { id }, repeats: 2 }));
  await vi.waitFor(
    async () => expect((await opened.experiments.get(experiment.id)).experiment.done).toBeGreaterThan(1),
    { timeout: 20_000, interval: 5 },
  );
  await opened.close();
  opened = await open();
  await opened.service.resumeUnfinished();
  await opened.experiments.resume();
  const { items } = await finished(experiment.id);
  expect(await opened.service.stored.list({ limit: 100 })).toHaveLength(12);
  expect(new Set(items.map(({ run_id }) => run_id)).size).toBe(12);
  const inline = await configOf(items.findLast((item) => item.case === 'inline')?.run_id);
  expect(readFileSync(join(inline.workspace, 'in', 'a.txt'), 'utf8')).toBe('text');
});

it('runs some cases of a suite, also of one that ships with Loupe', async () => {
  const { id } = await stored();
  const total = async (suite: ExperimentRequest['suite']) => {
    const { experiment } = await opened.experiments.create(plan({ suite, models: ['blue'] }));
    await opened.experiments.stop(experiment.id, { force: true });
    return experiment.total;
  };
  expect(await total({ id, tags: ['read'] })).toBe(2);
  expect(await total({ id, cases: ['prompt'] })).toBe(1);
  expect(await total({ shipped: 'basics' })).toBe(40);
  expect(await total({ shipped: 'basics', tags: ['edit'] })).toBe(5);
});

it('applies a setting to the cases that have it, the case over the plan and a factor over both', async () => {
  const { id } = await stored([
    { id: 'task', input: 'A', settings: { max_iterations: 3 } },
    { id: 'prompt', mode: 'prompt', input: 'B' },
  ]);
  const { experiment } = await opened.experiments.create(
    plan({
      ...{ suite: { id }, models: ['blue'], factors: { stall_threshold: [2, 3] } },
      settings: { max_iterations: 7, keep_rounds: 2, checks: [{ type: 'answer_contains', text: 'it' }] },
    }),
  );
  const { items } = await finished(experiment.id);
  const configs = await Promise.all(items.map(({ run_id }) => configOf(run_id)));
  expect(
    configs.map(({ agentic, max_iterations, stall_threshold }) => [agentic, max_iterations, stall_threshold]),
  ).toEqual([
    [true, 3, 2],
    [false, 10, 5],
    [true, 3, 3],
    [false, 10, 5],
  ]);
  expect(items.map(({ result }) => result?.verification)).toEqual(Array(4).fill('pass'));
});

it.each<[string, Partial<ExperimentRequest>, RegExp, string?]>([
  ['an unknown suite', { suite: { id: 'none' } }, /There is no suite "none"/, 'suite_not_found'],
  [
    'an unknown version',
    { suite: { shipped: 'basics', hash: 'a'.repeat(64) } },
    /a different version/,
    'suite_version_not_found',
  ],
  ['an unknown tag', { suite: { shipped: 'basics', tags: ['edits'] } }, /^suite\.tags: .*"edits".*"edit"/],
  ['an unknown case', { suite: { shipped: 'basics', cases: ['x.y'] } }, /^suite\.cases: .*no case "x\.y"/],
  [
    'tags and cases that exclude each other',
    { suite: { shipped: 'basics', tags: ['edit'], cases: ['read.one'] } },
    /^suite: No case/,
  ],
  [
    'a factor that no case has',
    { suite: { shipped: 'basics' }, factors: { max_cycles: [1] } },
    /^factors\.max_cycles: No case/,
  ],
  [
    'a setting that no case has',
    { suite: { shipped: 'basics' }, settings: { cycle_line: true } },
    /^settings\.cycle_line/,
  ],
  ['too many runs', { suite: { shipped: 'basics' }, repeats: 200, models: ['a', 'b'] }, /16000 runs/],
])('refuses %s before anything is stored', async (_, request, message, code = 'invalid_request') => {
  const known = request.suite?.cases?.includes('read.one')
    ? {
        ...request,
        suite: {
          ...request.suite,
          cases: [(await opened.suites.find({ shipped: 'basics' })).cases[0]?.id ?? ''],
        },
      }
    : request;
  await expect(opened.experiments.create(plan(known))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
  expect(await opened.experiments.list()).toEqual([]);
});

it('refuses a case whose folder is missing', async () => {
  const { id } = await stored();
  rmSync(join(folder, 'texts'), { recursive: true });
  await expect(opened.experiments.create(plan({ suite: { id } }))).rejects.toMatchObject({
    code: 'workspace_missing',
    message: expect.stringContaining(join(folder, 'texts')),
  });
});

it.each<[string, Partial<ExperimentRequest>, string]>([
  ['a mode beside a suite', { suite: { shipped: 'basics' }, mode: 'task' }, 'mode'],
  ['a task beside a suite', { suite: { shipped: 'basics' }, task: 'Do it.' }, 'task'],
  [
    'checks as a factor beside a suite',
    { suite: { shipped: 'basics' }, factors: { checks: [[]] } },
    'factors.checks',
  ],
  ['a suite without a name', { suite: {} }, 'suite'],
  ['two suites', { suite: { id: 'a', shipped: 'basics' } }, 'suite'],
  ['the same tag twice', { suite: { shipped: 'basics', tags: ['edit', 'edit'] } }, 'suite.tags'],
])('a plan must not have %s', (_, request, path) => {
  const read = experimentRequest.safeParse({ name: 'A', models: ['m'], ...request });
  expect(read.error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
});

it('runs sessions, which end at their limits instead of waiting', async () => {
  const { experiment } = await opened.experiments.create(
    plan({ mode: 'session', task: 'Hello.', models: ['blue'], factors: { autopilot_turns: [2, 3] } }),
  );
  const { items } = await finished(experiment.id);
  expect(items.map(({ result }) => [result?.iterations, result?.outcome?.kind])).toEqual([
    [2, 'cycles_done'],
    [3, 'cycles_done'],
  ]);
});
