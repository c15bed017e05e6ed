import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type ExperimentRequest,
  type ExtendExperimentRequest,
  experimentRequest,
  extendExperimentRequest,
} from '../api/experiment.ts';
import { forkRequest } from '../api/fork-run.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { cellsOf } from '../experiments/cells.ts';
import { resultsCsv } from '../experiments/results-table.ts';
import { says } from '../testing/loop-harness.ts';

let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;

const open = (settings: Partial<Environment> = {}) =>
  openRunService({
    ...readEnvironment({ LOUPE_DATA_DIR: folder, OLLAMA_HOST: fake.url, LOUPE_MIN_FREE_MB: '0' }),
    ...settings,
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-experiments-'));
  fake = await startFakeOllama({
    models: [{ name: 'alpha' }, { name: 'beta' }, { name: 'thinker', thinking_levels: false }],
    scenarios: ['alpha', 'beta', 'thinker'].map((name) => ({
      name,
      pace: { prompt_ms: 10 },
      steps: [
        { reply: { tool_calls: [{ name: 'write', arguments: { key: 'k', value: 'v' } }] } },
        says('R1.'),
        says('R2 now.'),
      ],
    })),
  });
  opened = await open();
});

afterEach(async () => {
  await opened.close();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

const plan = (request: Partial<ExperimentRequest> = {}) =>
  experimentRequest.parse({ name: 'Two models', models: ['alpha', 'beta'], cycles: 2, ...request });

const finished = (id: string) =>
  vi.waitFor(
    async () => {
      const reply = await opened.experiments.get(id);
      expect(reply.experiment.status).toBe('finished');
      return reply;
    },
    { timeout: 20_000, interval: 20 },
  );

/** Models in the order of their calls, without repetition. */
const asked = () =>
  fake.chats.map(({ model }) => model).filter((model, index, all) => model !== all[index - 1]);

it('runs a plan model by model, with one row of results per run', async () => {
  const { experiment, items } = await opened.experiments.create(plan({ seeds: [1, 2] }));
  expect(experiment).toMatchObject({ status: 'waiting', total: 4, done: 0 });
  expect(items.map(({ status }) => status)).toEqual(Array(4).fill('waiting'));
  const reply = await finished(experiment.id);
  expect(reply.experiment).toMatchObject({ done: 4, failed: 0 });
  expect(asked()).toEqual(['alpha', 'beta']);
  for (const item of reply.items) {
    expect(item).toMatchObject({
      status: 'done',
      result: {
        status: 'completed',
        termination_reason: 'final_answer',
        cycles: 2,
        model_calls: 3,
        tool_calls: 1,
        memories: 1,
        output: 'R2 now.',
      },
    });
    expect(item.result?.novelty).toBeGreaterThan(0.5);
  }
  expect(fake.chats[0]?.options).toMatchObject({ seed: 1 });
  expect(resultsCsv(reply.items).split('\r\n')).toHaveLength(6);
  const runs = await opened.service.stored.list({ limit: 10 });
  expect(runs.map(({ title }) => title).at(-1)).toBe('Two models: alpha, seed 1');
  expect(await opened.experiments.list()).toMatchObject([{ id: experiment.id, status: 'finished' }]);
});

it('shows the thinking value that was sent, not the refused setting', async () => {
  const { experiment } = await opened.experiments.create(
    plan({ models: ['thinker'], settings: { think: 'high' } }),
  );
  const { items } = await finished(experiment.id);
  expect(items.map(({ result }) => result?.think)).toEqual([true]);
  const [header, row] = resultsCsv(items).split('\r\n');
  expect(row?.split(',')[header?.split(',').indexOf('think') ?? -1]).toBe('true');
});

it('resumes after a restart, and repeats no run', async () => {
  const { experiment } = await opened.experiments.create(plan({ repeats: 3 }));
  await vi.waitFor(
    async () => expect((await opened.experiments.get(experiment.id)).experiment.done).toBeGreaterThan(0),
    { timeout: 20_000, interval: 5 },
  );
  await opened.close();
  opened = await open();
  const between = await opened.experiments.get(experiment.id);
  expect(between.experiment).toMatchObject({ status: 'running', total: 6 });
  expect(between.experiment.done).toBeLessThan(6);
  await opened.service.resumeUnfinished();
  await opened.experiments.resume();
  const reply = await finished(experiment.id);
  expect(reply.experiment.done).toBe(6);
  const runs = await opened.service.stored.list({ limit: 100 });
  expect(runs).toHaveLength(6);
  expect(new Set(reply.items.map(({ run_id }) => run_id)).size).toBe(6);
});

it('stops after the current run, and continues on request', async () => {
  const { experiment } = await opened.experiments.create(plan({ repeats: 2 }));
  await vi.waitFor(
    async () => {
      const { items } = await opened.experiments.get(experiment.id);
      expect(items[0]?.status).toBe('running');
    },
    { timeout: 20_000, interval: 5 },
  );
  expect((await opened.experiments.stop(experiment.id, { force: false })).experiment.status).toBe('stopped');
  await vi.waitFor(
    async () => expect((await opened.experiments.get(experiment.id)).items[0]?.status).toBe('done'),
    { timeout: 20_000, interval: 20 },
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = await opened.experiments.get(experiment.id);
  expect(stopped.items.map(({ status }) => status)).toEqual(['done', 'waiting', 'waiting', 'waiting']);
  await opened.experiments.continue(experiment.id);
  expect((await finished(experiment.id)).experiment.done).toBe(4);
});

it('keeps the result of the current run when stopped and restarted, and starts no other', async () => {
  const { experiment } = await opened.experiments.create(plan({ repeats: 2 }));
  await vi.waitFor(
    async () => {
      const { items } = await opened.experiments.get(experiment.id);
      expect(items[0]?.status).toBe('running');
    },
    { timeout: 20_000, interval: 5 },
  );
  await opened.experiments.stop(experiment.id, { force: false });
  await opened.close();
  opened = await open();
  await opened.service.resumeUnfinished();
  await opened.experiments.resume();
  await vi.waitFor(
    async () => expect((await opened.experiments.get(experiment.id)).items[0]?.status).toBe('done'),
    { timeout: 20_000, interval: 20 },
  );
  const stopped = await opened.experiments.get(experiment.id);
  expect(stopped.experiment).toMatchObject({ status: 'stopped', done: 1, running: 0 });
  expect(stopped.items.map(({ status }) => status)).toEqual(['done', 'waiting', 'waiting', 'waiting']);
  expect(stopped.items[0]?.result).toMatchObject({ termination_reason: 'final_answer', cycles: 2 });
});

it('reports why it stopped until it is continued', async () => {
  await opened.close();
  opened = await open({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const { experiment } = await opened.experiments.create(plan({ models: ['alpha'] }));
  const look = async () => (await opened.experiments.get(experiment.id)).experiment;
  await vi.waitFor(async () => expect((await look()).status).toBe('stopped'), { timeout: 20_000 });
  expect((await look()).problem).toMatchObject({ code: 'storage_full', hint: expect.any(String) });
  await opened.close();
  opened = await open();
  expect((await look()).problem).toMatchObject({ code: 'storage_full' });
  await opened.experiments.continue(experiment.id);
  expect((await finished(experiment.id)).experiment.problem).toBeUndefined();
});

it('runs one experiment at a time, and runs of a missing model are not judged', async () => {
  const first = await opened.experiments.create(plan({ models: ['missing', 'alpha'] }));
  const second = await opened.experiments.create(plan({ models: ['beta'] }));
  expect((await opened.experiments.get(second.experiment.id)).experiment.status).toBe('waiting');
  await finished(second.experiment.id);
  const { items } = await opened.experiments.get(first.experiment.id);
  expect(items.map(({ result }) => result?.status)).toEqual(['failed', 'completed']);
  expect(items.map(({ result }) => result?.model_replies)).toEqual([0, 3]);
  expect((await opened.experiments.get(first.experiment.id)).experiment).toMatchObject({
    ...{ done: 2, failed: 0, not_run: 1, verdicts: [{ model: 'alpha', passed: 1, judged: 1 }] },
  });
  expect(cellsOf(items)).toMatchObject([
    { judged: 0, not_run: 1, not_run_reasons: [{ message: expect.stringContaining('missing'), runs: 1 }] },
    { judged: 1, not_run: 0, not_run_reasons: [] },
  ]);
  expect(asked()).toEqual(['alpha', 'beta']);
});

it('restarts only the runs that did not run', async () => {
  const { experiment } = await opened.experiments.create(plan({ models: ['missing', 'alpha'] }));
  const [lost, kept] = (await finished(experiment.id)).items;
  fake.add({ name: 'missing', steps: [says('Here.'), says('Again.')] });
  // Two concurrent requests: the second finds nothing left.
  const retried = await Promise.allSettled([
    opened.experiments.retry(experiment.id),
    opened.experiments.retry(experiment.id),
  ]);
  expect(retried).toMatchObject([
    { value: { experiment: { done: 1, not_run: 0 } } },
    { reason: { code: 'invalid_request' } },
  ]);
  const { experiment: after, items } = await finished(experiment.id);
  expect(after).toMatchObject({ done: 2, failed: 0, not_run: 0, total: 2 });
  expect(after.verdicts).toMatchObject([{ judged: 1 }, { judged: 1 }]);
  expect(items[1]).toEqual(kept);
  expect(items[0]).toMatchObject({ status: 'done', retries: 1, result: { output: 'Again.' } });
  expect(items[0]?.run_id).not.toBe(lost?.run_id);
  expect(await opened.service.stored.list({ limit: 10 })).toHaveLength(3);
  await expect(opened.experiments.retry(experiment.id)).rejects.toMatchObject({ code: 'invalid_request' });
});

it('is deleted with its runs, also those that were started again, and keeps forks', async () => {
  const { experiment } = await opened.experiments.create(plan({ models: ['missing', 'alpha'] }));
  const [lost, kept] = (await finished(experiment.id)).items;
  fake.add({ name: 'missing', steps: [says('Here.'), says('Again.')] });
  await opened.experiments.retry(experiment.id);
  const [again] = (await finished(experiment.id)).items;
  const other = await opened.experiments.create(plan({ name: 'Other', models: ['beta'] }));
  const [untouched] = (await finished(other.experiment.id)).items;
  const fork = await opened.service.fork(kept?.run_id ?? '', forkRequest.parse({ at: { before_cycle: 2 } }));
  await opened.service.ended(fork.run.id, AbortSignal.timeout(20_000));

  const { runs } = await opened.experiments.delete(experiment.id, { runs: true });
  expect(runs.toSorted()).toEqual([lost?.run_id, kept?.run_id, again?.run_id].toSorted());
  const left = await opened.service.stored.list({ limit: 10 });
  expect(left.map(({ id }) => id).toSorted()).toEqual([fork.run.id, untouched?.run_id].toSorted());
  expect(await opened.experiments.list()).toMatchObject([{ id: other.experiment.id }]);
});

it('compares the runs that are left after one was deleted', async () => {
  const { experiment } = await opened.experiments.create(plan({ models: ['alpha'], repeats: 3 }));
  const { items } = await finished(experiment.id);
  await opened.service.organizer.delete([items[0]?.run_id ?? '']);
  const { groups } = await opened.experiments.agreement(experiment.id, AbortSignal.timeout(20_000));
  expect(groups.map(({ runs }) => runs.map(({ repeat }) => repeat))).toEqual([[2, 3]]);
  expect(groups).toMatchObject([{ agreement: { runs: 2 } }]);
  await opened.service.organizer.delete([items[1]?.run_id ?? '']);
  expect(await opened.experiments.agreement(experiment.id, AbortSignal.timeout(20_000))).toEqual({
    groups: [],
  });
  expect((await opened.experiments.delete(experiment.id, { runs: true })).runs).toEqual([items[2]?.run_id]);
});

it('counts the repeats that it does not compare', async () => {
  const options = { models: ['alpha'], cycles: 1 };
  const many = await opened.experiments.create(plan({ ...options, repeats: 21 }));
  await finished(many.experiment.id);
  const agreement = (id: string) => opened.experiments.agreement(id, AbortSignal.timeout(20_000));
  const { groups, ...whole } = await agreement(many.experiment.id);
  expect(groups).toMatchObject([{ runs_left_out: 1, agreement: { runs: 20 } }]);
  expect(whole).toEqual({});
  const seeds = Array.from({ length: 11 }, (_, index) => index);
  const seeded = await opened.experiments.create(plan({ ...options, seeds, repeats: 2 }));
  await finished(seeded.experiment.id);
  const some = await agreement(seeded.experiment.id);
  expect(some).toMatchObject({ groups_left_out: 1 });
  expect(some.groups).toHaveLength(10);
  expect(some.groups[0]).not.toHaveProperty('runs_left_out');
});

it('runs each task in its own folder', async () => {
  fake.add({
    name: 'gamma',
    steps: [
      { reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'x' } }] } },
      says('The task is completed.'),
    ],
  });
  const { experiment } = await opened.experiments.create(
    plan({
      mode: 'task',
      task: 'Write it.',
      models: ['gamma'],
      repeats: 2,
      cycles: undefined,
      settings: { checks: [{ type: 'file_exists', path: 'a.md' }] },
    }),
  );
  const { items } = await finished(experiment.id);
  expect(items.map(({ result }) => result?.verification)).toEqual(['pass', 'pass']);
  const folders = await Promise.all(
    items.map(async ({ run_id }) => (await opened.service.stored.get(run_id ?? '')).config.workspace),
  );
  expect(new Set(folders).size).toBe(2);
});

it('records the outcome of each task, so that a model that did nothing does not count as answered', async () => {
  fake.add({ name: 'works', steps: [says('The task is completed.')] });
  fake.add({ name: 'plans', steps: [says('I will write the file first.')] });
  const { experiment } = await opened.experiments.create(
    plan({
      mode: 'task',
      task: 'Write it.',
      models: ['works', 'plans'],
      cycles: undefined,
      settings: { checks: [{ type: 'file_exists', path: 'a.md' }], max_attempts: 1 },
    }),
  );
  const { items } = await finished(experiment.id);
  const checks = { failed: 1, total: 1 };
  expect(items.map(({ model, result }) => [model, result?.outcome])).toEqual([
    ['works', { kind: 'answered_checks_failed', checks }],
    ['plans', { kind: 'announced_work_did_none', checks }],
  ]);
  const [header, ...rows] = resultsCsv(items).trimEnd().split('\r\n');
  expect(header).toMatch(/,passed,first_try,outcome,checks_failed,checks_total,error,score,note$/);
  expect(rows.map((row) => row.split(',').slice(-6, -2).join(','))).toEqual([
    'answered_checks_failed,1,1,',
    'announced_work_did_none,1,1,',
  ]);
  const listed = await opened.service.stored.list({
    limit: 5,
    filter: { outcome: 'announced_work_did_none' },
  });
  expect(listed.map(({ model }) => model)).toEqual(['plans']);
});

it('varies any setting, and refuses factors that cannot work before anything is stored', async () => {
  const refused = async (request: Partial<ExperimentRequest>, message: RegExp, code = 'invalid_request') =>
    expect(opened.experiments.create(plan(request))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  await refused({ factors: { max_iterations: [3] } }, /^factors\.max_iterations: .*"explore"/);
  await refused({ factors: { budget: [{ max_cost_usd: 1 }] } }, /price/, 'no_price');
  const checks = [{ type: 'file_exists', path: 'a.md' }];
  const prompt = { mode: 'prompt', task: 'Say it.', cycles: undefined } as const;
  await refused(
    { ...prompt, factors: { checks: [checks] } },
    /The check file_exists needs tools/,
    'checks_need_tools',
  );
  await refused(
    { seeds: Array.from({ length: 200 }, (_, n) => n), repeats: 3 },
    /^confirm_runs: .* 1200 runs/,
  );
  await refused({ models: ['alpha'], confirm_runs: 5 }, /^confirm_runs: The plan has 1 run, not 5\.$/);
  expect(await opened.experiments.list()).toEqual([]);

  const { experiment } = await opened.experiments.create(
    plan({ models: ['alpha'], factors: { max_cycles: [1, 2], temperature: [0.5] }, cycles: undefined }),
  );
  const { items } = await finished(experiment.id);
  expect(items.map(({ factors, result }) => [factors, result?.cycles])).toEqual([
    [{ max_cycles: 1, temperature: 0.5 }, 1],
    [{ max_cycles: 2, temperature: 0.5 }, 2],
  ]);
  for (const { options } of fake.chats) expect(options).toMatchObject({ temperature: 0.5 });
});

it('adds models, values and repeats to a finished experiment, and repeats no run', async () => {
  const { experiment } = await opened.experiments.create(
    plan({ models: ['alpha'], factors: { temperature: [0] }, seeds: [1] }),
  );
  await finished(experiment.id);
  const extend = (more: ExtendExperimentRequest) =>
    opened.experiments.extend(experiment.id, extendExperimentRequest.parse(more));
  await expect(extend({})).rejects.toMatchObject({ message: expect.stringContaining('already') });
  await expect(extend({ factors: { top_p: [1] } })).rejects.toMatchObject({
    message: expect.stringMatching(/^factors\.top_p: /),
  });
  await expect(extend({ factors: { temperature: [9] } })).rejects.toMatchObject({
    message: expect.stringMatching(/^factors\.temperature\.1: 9 is not valid/),
  });
  const extended = await extend({ models: ['beta'], factors: { temperature: [1] }, repeats: 2 });
  expect(extended.experiment).toMatchObject({ total: 8, done: 1 });
  const { items } = await finished(experiment.id);
  expect(items.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(items[0]).toMatchObject({ model: 'alpha', factors: { temperature: 0 }, repeat: 1 });
  expect(new Set(items.map(({ run_id }) => run_id)).size).toBe(8);
  expect(asked()).toEqual(['alpha', 'beta']);
  const stored = await opened.experiments.page(experiment.id, { cell: 4, after: 7, limit: 1 });
  expect(stored.items).toMatchObject([{ model: 'beta', factors: { temperature: 1 }, repeat: 2 }]);
  expect(cellsOf(items)).toMatchObject([
    { model: 'alpha', factors: { temperature: 0 }, passed: 2, judged: 2 },
    { model: 'alpha', factors: { temperature: 1 } },
    { model: 'beta' },
    { model: 'beta', provenance: [{ ollama_version: expect.any(String), digest: expect.any(String) }] },
  ]);
});

it('adds repeats while it runs, and keeps a stopped experiment stopped', async () => {
  const { experiment } = await opened.experiments.create(plan({ models: ['alpha'] }));
  const more = (repeats: number) =>
    opened.experiments.extend(experiment.id, extendExperimentRequest.parse({ repeats }));
  await more(2);
  expect((await finished(experiment.id)).experiment.done).toBe(2);
  await more(3);
  await opened.experiments.stop(experiment.id, { force: false });
  expect((await more(4)).experiment).toMatchObject({ status: 'stopped', total: 4 });
  await opened.close();
  opened = await open();
  await opened.service.resumeUnfinished();
  await opened.experiments.continue(experiment.id);
  expect((await finished(experiment.id)).experiment.done).toBe(4);
});

it('refuses settings of another mode before anything is stored', async () => {
  await expect(opened.experiments.create(plan({ settings: { tier: 'trivial' } }))).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('tier'),
  });
  await expect(opened.experiments.create(plan({ mode: 'task', cycles: undefined }))).rejects.toMatchObject({
    message: 'task: Say what the agent should do.',
  });
  expect(await opened.experiments.list()).toEqual([]);
  await expect(opened.experiments.get('nothing')).rejects.toMatchObject({ code: 'experiment_not_found' });
});
