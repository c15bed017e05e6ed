import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type ExperimentResult,
  type ExperimentSummary,
  experimentRequest,
  extendExperimentRequest,
} from '../api/experiment.ts';
import { AppError } from '../errors/app-error.ts';
import type { ExperimentStore } from '../store/experiment-store.ts';
import { requestKey } from '../store/request-key.ts';
import { SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { RunNotFoundError } from '../store/store-errors.ts';
import { completedLog } from '../testing/sample-logs.ts';
import { Experiments } from './experiments.ts';

let root: string;
let store: SqliteRunStore;
let experiments: Experiments;
/** How many runs were started, and how often an experiment was released. */
let started: number;
let released: number;
let ids: number;
/** The runs that were deleted with an experiment, and those that somebody else deleted. */
let deleted: string[];
let missing: Set<string>;
/** The runs that were stopped at once. */
let halted: string[];
/** The runs whose agreement was asked for, by group. */
let compared: string[][];
/** Lets all runs end. */
let finish: PromiseWithResolvers<void>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loupe-experiments-'));
  store = SqliteRunStore.open(root, { ballastMegabytes: 1 });
  [started, released, ids, deleted, halted, compared] = [0, 0, 0, [], [], []];
  missing = new Set();
  finish = Promise.withResolvers();
  experiments = open();
});

afterEach(async () => {
  await experiments.close();
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const unused = () => Promise.reject(new Error('Not used here'));

function open(
  hold = async () => true,
  kept: ExperimentStore = store,
  {
    keep = async () => true,
    reach = (_step) => undefined,
  }: { keep?: () => Promise<boolean>; reach?: (step: 'start' | 'log') => void | Promise<void> } = {},
): Experiments {
  return new Experiments({
    store: kept,
    runs: {
      admit: async () => undefined,
      start: async () => {
        await reach('start');
        started += 1;
        return `run-${started}`;
      },
      stop: async (runId) => halted.push(runId),
      delete: async (runIds) => deleted.push(...runIds),
      async *log(runId) {
        await reach('log');
        if (missing.has(runId)) throw new RunNotFoundError(runId);
        yield completedLog().events;
      },
      agreement: async (runIds) => {
        compared.push([...runIds]);
        return { runs: runIds.length, agreed: 0, steps: 0, levels: [], variants: 1, causes: [] };
      },
      ended: (_, signal) =>
        Promise.race([
          finish.promise,
          new Promise<void>((over) => signal.addEventListener('abort', () => over())),
        ]),
    },
    suites: { find: unused },
    newId: () => {
      ids += 1;
      return ids === 1 ? 'exp' : `exp-${ids}`;
    },
    holder: {
      hold,
      keep,
      release: async () => {
        released += 1;
      },
    },
  });
}

/** The store with some operations replaced. */
function storeWith(change: Partial<ExperimentStore>): ExperimentStore {
  return {
    experiment: (id) => store.experiment(id),
    experimentSummary: (id) => store.experimentSummary(id),
    experimentNotes: (id) => store.experimentNotes(id),
    experimentRuns: (id) => store.experimentRuns(id),
    experimentCases: (id) => store.experimentCases(id),
    experiments: () => store.experiments(),
    unfinishedExperiments: () => store.unfinishedExperiments(),
    deleteExperiment: (id) => store.deleteExperiment(id),
    experimentOfKey: (key) => store.experimentOfKey(key),
    createExperiment: (created) => store.createExperiment(created),
    saveExperiment: (...saved) => store.saveExperiment(...saved),
    ...change,
  };
}

const busy = () => new AppError({ code: 'store_busy', message: 'Busy.' });

/** An experiment of two runs that was stopped in its first, after a restart. */
async function stopAndRestart(): Promise<void> {
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1, repeats: 2 };
  await experiments.create(experimentRequest.parse(plan));
  await vi.waitFor(() => expect(started).toBe(1), { timeout: 20_000 });
  await experiments.stop('exp', { force: false });
  await experiments.close();
  experiments = open();
}

it('keeps all runs, when it is extended twice at the same time', async () => {
  await stopAndRestart();
  const extend = (model: string) =>
    experiments.extend('exp', extendExperimentRequest.parse({ models: [model], repeats: 2 }));
  await Promise.all([extend('beta'), extend('gamma')]);
  const { experiment, items } = await experiments.get('exp');
  expect(experiment).toMatchObject({ total: 6, plan: { models: ['alpha', 'beta', 'gamma'] } });
  const count = (model: string) => items.filter((item) => item.model === model).length;
  expect(['alpha', 'beta', 'gamma'].map(count)).toEqual([2, 2, 2]);
});

it('is created once for a repeated request, even after it was extended and after a restart', async () => {
  const plan = experimentRequest.parse({ name: 'Once', models: ['alpha'], cycles: 1, repeats: 2 });
  const create = () => experiments.create(plan, { idempotencyKey: 'key' });
  const created = await Promise.all([create(), create(), create()]);
  expect(created.map((each) => each.created).sort()).toEqual([false, false, true]);
  const [first] = await experiments.list();
  const id = first?.id ?? '';
  expect(new Set(created.map(({ experiment }) => experiment.id))).toEqual(new Set([id]));
  await experiments.extend(id, extendExperimentRequest.parse({ models: ['beta'] }));
  await experiments.close();
  experiments = open();
  const again = await create();
  expect(again).toMatchObject({ created: false, experiment: { id, plan: { models: ['alpha', 'beta'] } } });
  expect(again.items).toHaveLength(4);
  expect(await experiments.list()).toHaveLength(1);
});

it('is not created for another request with the same key, nor again after it was deleted', async () => {
  const plan = experimentRequest.parse({ name: 'Once', models: ['alpha'], cycles: 1 });
  const create = (more: object = {}) => experiments.create({ ...plan, ...more }, { idempotencyKey: 'key' });
  await create();
  await expect(create({ repeats: 3 })).rejects.toMatchObject({
    code: 'idempotency_conflict',
    message: 'The idempotency key was used for another request (experiment exp).',
  });
  // The confirmation of its size is no part of the plan.
  expect(await create({ confirm_runs: 1 })).toMatchObject({ created: false });
  await experiments.stop('exp', { force: false });
  finish.resolve();
  await vi.waitFor(() => experiments.delete('exp', { runs: false }), { timeout: 20_000 });
  await expect(create()).rejects.toMatchObject({
    code: 'experiment_deleted',
    message: 'The experiment that was started with this idempotency key was deleted (experiment exp).',
  });
  expect(await experiments.list()).toEqual([]);
  const other = await experiments.create(plan, { idempotencyKey: 'other' });
  expect(other.created).toBe(true);
});

it('is found by its key although its suite was deleted', async () => {
  const suite = { name: 'Rooms', hash: 'h', modes: ['task' as const], cases: 1 };
  const plan = experimentRequest.parse({ name: 'Suite', models: ['alpha'], suite: { id: 'rooms' } });
  const key = requestKey('key', plan);
  const summary: ExperimentSummary = {
    ...{ id: 'suited', name: 'Suite', mode: 'task', suite, status: 'finished', created_at: 1, updated_at: 1 },
    ...{ total: 0, done: 0, failed: 0, plan },
  };
  await store.createExperiment({ summary, items: [], key });
  const again = await experiments.create(plan, { idempotencyKey: 'key' });
  expect(again).toMatchObject({ created: false, experiment: { id: 'suited' } });
});

it('compares repeats without runs that a person stopped or that did not run, as pass rates do', async () => {
  const done: ExperimentResult = {
    ...{ status: 'completed', termination_reason: 'final_answer', message: 'Done.', seconds: 1 },
    ...{ iterations: 1, cycles: 0, model_calls: 1, tool_calls: 0, failed_tool_calls: 0 },
    ...{ tokens_in: 1, tokens_out: 10, memories: 0, messages: 0, files_written: 0, output: '42' },
  };
  const results: ExperimentResult[] = [
    done,
    { ...done, termination_reason: 'stopped', outcome: { kind: 'stopped' } },
    { ...done, termination_reason: 'error', outcome: { kind: 'error' }, model_replies: 0 },
    done,
  ];
  const items = results.map((result, index) => ({
    ...{ position: index + 1, model: 'alpha', options: {}, repeat: index + 1 },
    ...{ status: 'done' as const, run_id: `run-${index + 1}`, result },
  }));
  const plan = experimentRequest.parse({ name: 'Repeats', models: ['alpha'], cycles: 1, repeats: 4 });
  const summary: ExperimentSummary = {
    ...{ id: 'repeats', name: 'Repeats', mode: 'explore', status: 'finished', created_at: 1, updated_at: 1 },
    ...{ total: 4, done: 4, failed: 0, plan },
  };
  await store.createExperiment({ summary, items });
  const experimentRuns = async () => items.map(({ run_id }) => run_id);
  await experiments.close();
  experiments = open(undefined, storeWith({ experimentRuns }));
  const { groups } = await experiments.agreement('repeats', new AbortController().signal);
  expect(groups.map(({ runs }) => runs.map(({ repeat }) => repeat))).toEqual([[1, 4]]);
  expect(compared).toEqual([['run-1', 'run-4']]);
});

it('can be stopped after it was continued twice at the same time', async () => {
  await stopAndRestart();
  await Promise.all([experiments.continue('exp'), experiments.continue('exp')]);
  await experiments.stop('exp', { force: false });
  released = 0;
  finish.resolve();
  await vi.waitFor(() => expect(released).toBe(1), { timeout: 20_000 });
  expect(started).toBe(1);
});

it('adds seeds to seeds, but not to runs without one', async () => {
  await stopAndRestart();
  const more = extendExperimentRequest.parse({ seeds: [7] });
  await expect(experiments.extend('exp', more)).rejects.toThrow(/^seeds: .* have no seed/);
  const plan = { name: 'Seeds', mode: 'explore', models: ['alpha'], cycles: 1, seeds: [1, 2] };
  await experiments.create(experimentRequest.parse(plan));
  const extended = await experiments.extend('exp-2', more);
  expect(extended.experiment).toMatchObject({ total: 3, plan: { seeds: [1, 2, 7] } });
});

it('counts the runs that would be added, and adds none', async () => {
  await stopAndRestart();
  const more = extendExperimentRequest.parse({ models: ['beta'], repeats: 3, confirm_runs: 1 });
  expect(await experiments.countExtension('exp', more)).toEqual({ total: 6, added: 4 });
  expect((await experiments.get('exp')).items).toHaveLength(2);
});

it('starts and adds nothing if the number of runs is not the one that was confirmed', async () => {
  await stopAndRestart();
  const plan = { name: 'Two', models: ['alpha', 'beta'], cycles: 1 };
  const asked = (confirm_runs: number) => experimentRequest.parse({ ...plan, confirm_runs });
  await expect(experiments.create(asked(5))).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'confirm_runs: The plan has 2 runs, not 5.',
    hint: 'Change the plan, or set confirm_runs to 2 (in a terminal: --confirm 2).',
  });
  const more = (confirm_runs: number) => extendExperimentRequest.parse({ models: ['beta'], confirm_runs });
  await expect(experiments.extend('exp', more(2))).rejects.toThrow('The plan has 4 runs, not 2.');
  expect((await experiments.get('exp')).items).toHaveLength(2);
  expect(await experiments.list()).toHaveLength(1);
  expect((await experiments.extend('exp', more(4))).experiment.total).toBe(4);
  expect((await experiments.create(asked(2))).experiment.total).toBe(2);
  finish.resolve();
});

it('adds no model that it has under another name', async () => {
  await stopAndRestart();
  const extended = await experiments.extend(
    'exp',
    extendExperimentRequest.parse({ models: ['alpha:latest', 'beta', 'beta:latest'] }),
  );
  expect(extended.experiment).toMatchObject({ total: 4, plan: { models: ['alpha', 'beta'] } });
  const again = experiments.extend('exp', extendExperimentRequest.parse({ models: ['beta:latest'] }));
  await expect(again).rejects.toThrow('already has all of these runs');
});

it('stops a run at once that was still being created when the experiment was stopped', async () => {
  const [reached, created] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  experiments = open(undefined, store, {
    reach: (step) => {
      if (step !== 'start') return undefined;
      reached.resolve();
      return created.promise;
    },
  });
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1, repeats: 2 };
  await experiments.create(experimentRequest.parse(plan));
  await reached.promise;
  await experiments.stop('exp', { force: true });
  created.resolve();
  await vi.waitFor(() => expect(halted).toEqual(['run-1']), { timeout: 20_000 });
  finish.resolve();
  await vi.waitFor(async () => expect((await experiments.get('exp')).experiment).toMatchObject({ done: 1 }), {
    timeout: 20_000,
  });
  expect(started).toBe(1);
});

it('is not deleted before its current run has ended', async () => {
  await stopAndRestart();
  await experiments.resume();
  const refused = { code: 'experiment_not_ended', hint: 'Stop it first, then delete it.' };
  await expect(experiments.delete('exp', { runs: true })).rejects.toMatchObject(refused);
  expect(released).toBe(1);
  finish.resolve();
  await vi.waitFor(() => expect(released).toBe(2), { timeout: 20_000 });
  expect(await experiments.delete('exp', { runs: true })).toEqual({ deleted: 'exp', runs: [] });
  expect([deleted, released]).toEqual([[], 3]);
  for (const gone of [experiments.get('exp'), experiments.delete('exp', { runs: false })])
    await expect(gone).rejects.toMatchObject({ code: 'experiment_not_found' });
});

it('is not deleted while another process holds it', async () => {
  await stopAndRestart();
  await experiments.close();
  experiments = open(async () => false);
  await expect(experiments.delete('exp', { runs: false })).rejects.toMatchObject({
    code: 'experiment_elsewhere',
  });
  expect(await experiments.list()).toMatchObject([{ id: 'exp' }]);
});

it('goes on if its current run was deleted before its result was stored', async () => {
  await stopAndRestart();
  missing.add('run-1');
  finish.resolve();
  await experiments.continue('exp');
  const isFinished = async () => expect((await experiments.get('exp')).experiment.status).toBe('finished');
  await vi.waitFor(isFinished, { timeout: 20_000 });
  const { experiment, items } = await experiments.get('exp');
  expect(experiment).toMatchObject({ done: 1, failed: 1, running: 0 });
  expect(items[0]).toMatchObject({ status: 'failed', error: { code: 'run_not_found' } });
  expect(items[0]).not.toHaveProperty('run_id');
  await experiments.retry('exp');
  await vi.waitFor(isFinished, { timeout: 20_000 });
  expect((await experiments.get('exp')).experiment).toMatchObject({ done: 2, failed: 0 });
});

it('can be deleted once it is stopped, although another one is running', async () => {
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1 };
  const first = await experiments.create(experimentRequest.parse(plan));
  const second = await experiments.create(experimentRequest.parse(plan));
  await vi.waitFor(() => expect(started).toBe(1), { timeout: 20_000 });
  const { id } = second.experiment;
  await experiments.stop(id, { force: false });
  expect(await experiments.delete(id, { runs: false })).toEqual({ deleted: id, runs: [] });
  expect(await experiments.list()).toMatchObject([{ id: first.experiment.id, status: 'running' }]);
});

it('continues in its turn after it was stopped while it waited', async () => {
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1 };
  await experiments.create(experimentRequest.parse(plan));
  const { id } = (await experiments.create(experimentRequest.parse(plan))).experiment;
  await experiments.stop(id, { force: false });
  await experiments.continue(id);
  expect((await experiments.get(id)).experiment.status).toBe('waiting');
  finish.resolve();
  await vi.waitFor(async () => expect((await experiments.get(id)).experiment.status).toBe('finished'), {
    timeout: 20_000,
  });
  expect(started).toBe(2);
});

it('goes on if it is continued while its failure is being stored', async () => {
  const failing = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  let failures = 0;
  const slow = storeWith({
    async saveExperiment(summary, items) {
      if (items[0]?.status === 'done' && failures === 0) {
        failures += 1;
        throw new AppError({ code: 'storage_full', message: 'Full.' });
      }
      if (summary.problem) {
        failing.resolve();
        await stored.promise;
      }
      await store.saveExperiment(summary, items);
    },
  });
  await experiments.close();
  experiments = open(undefined, slow);
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1, repeats: 2 };
  await experiments.create(experimentRequest.parse(plan));
  finish.resolve();
  await failing.promise;
  const continued = experiments.continue('exp');
  await Promise.race([continued, delay(100)]);
  stored.resolve();
  await continued;
  await vi.waitFor(async () => expect((await store.experimentSummary('exp'))?.status).toBe('finished'), {
    timeout: 20_000,
  });
  expect((await store.experiment('exp'))?.items.map(({ status }) => status)).toEqual(['done', 'done']);
});

it('waits while the store is locked or does not respond, at every step, and then finishes', async () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue();
  const tries = { start: 0, log: 0, keep: 0, save: 0 };
  // Each step fails before it works.
  const reach = (step: keyof typeof tries) => {
    tries[step] += 1;
    if (tries[step] % 2 > 0) throw busy();
  };
  const saved: ExperimentSummary[] = [];
  const kept = storeWith({
    async saveExperiment(summary, items) {
      reach('save');
      saved.push(summary);
      await store.saveExperiment(summary, items);
    },
  });
  const keep = async () => {
    reach('keep');
    return true;
  };
  await experiments.close();
  experiments = open(undefined, kept, { keep, reach });
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1, repeats: 2 };
  await experiments.create(experimentRequest.parse(plan));
  finish.resolve();
  await vi.waitFor(async () => expect((await store.experimentSummary('exp'))?.status).toBe('finished'), {
    timeout: 20_000,
  });
  expect((await store.experiment('exp'))?.items.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(saved.filter(({ problem, status }) => problem || status === 'stopped')).toEqual([]);
  expect(started).toBe(2);
  expect(warned).toHaveBeenCalledWith(
    'Experiment exp is waiting for the database, which is locked or does not respond.',
  );
  warned.mockRestore();
});

it('saves nothing once another process has taken over while the store did not respond', async () => {
  const quiet = vi.spyOn(console, 'warn').mockReturnValue();
  let isMine = true;
  const saved: (string | undefined)[] = [];
  const kept = storeWith({
    async saveExperiment(summary, items) {
      if (items[0]?.status === 'done' && isMine) {
        isMine = false;
        throw busy();
      }
      saved.push(items[0]?.status);
      await store.saveExperiment(summary, items);
    },
  });
  await experiments.close();
  experiments = open(undefined, kept, { keep: async () => isMine });
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1, repeats: 2 };
  await experiments.create(experimentRequest.parse(plan));
  finish.resolve();
  await vi.waitFor(() => expect(quiet.mock.calls.flat().join()).toContain('taken over'));
  await experiments.close();
  expect(saved).toEqual([undefined, 'running']);
  quiet.mockRestore();
});

it('stores a stop that the store did not take at first', async () => {
  let isBusy = false;
  const kept = storeWith({
    async saveExperiment(summary, items) {
      if (isBusy) throw busy();
      await store.saveExperiment(summary, items);
    },
  });
  await experiments.close();
  experiments = open(undefined, kept);
  const plan = { name: 'Models', mode: 'explore', models: ['alpha'], cycles: 1, repeats: 2 };
  await experiments.create(experimentRequest.parse(plan));
  await vi.waitFor(() => expect(started).toBe(1));
  isBusy = true;
  await expect(experiments.stop('exp', { force: false })).rejects.toMatchObject({ code: 'store_busy' });
  isBusy = false;
  finish.resolve();
  await vi.waitFor(async () => expect((await store.experimentSummary('exp'))?.done).toBe(1));
  expect((await store.experimentSummary('exp'))?.status).toBe('stopped');
  expect((await store.experiment('exp'))?.items.map(({ status }) => status)).toEqual(['done', 'waiting']);
});

it('is not restored by a request that arrives while another process deletes it', async () => {
  await stopAndRestart();
  released = 0;
  const extension = extendExperimentRequest.parse({ models: ['beta'] });
  const refused = { code: 'experiment_not_found' };
  for (const isHeld of [true, false]) {
    await experiments.close();
    const [stored] = await store.experiments();
    const { items = [] } = (await store.experiment('exp')) ?? {};
    experiments = open(async () => {
      await store.deleteExperiment('exp');
      return isHeld;
    });
    for (const ask of [
      () => experiments.extend('exp', extension),
      () => experiments.retry('exp'),
      () => experiments.continue('exp'),
      () => experiments.delete('exp', { runs: false }),
    ]) {
      if (stored) await store.saveExperiment(stored, items);
      await expect(ask()).rejects.toMatchObject(refused);
      expect(await experiments.list()).toEqual([]);
    }
    if (stored) await store.saveExperiment(stored, items);
    await experiments.resume();
    expect(await experiments.list()).toEqual([]);
    if (stored) await store.saveExperiment(stored, items);
  }
  // Nothing stays held: each request that held it has given it back.
  expect(released).toBe(5);
});

it.each([
  [{ settings: { stall_guard: true } }, 'settings.stall_guard: This has no effect on a single answer'],
  [{ factors: { tier: ['trivial', 'complex'] } }, 'factors.tier: This has no effect on a single answer'],
  [{ workspace: '/work' }, 'workspace: This has no effect on a single answer'],
])('refuses a plan of prompts with %j, which has no effect on them', async (fields, message) => {
  const asked = { name: 'Prompts', mode: 'prompt', task: 'Say it.', models: ['a'], ...fields };
  const refusal = { code: 'invalid_request', message: expect.stringContaining(message) };
  await expect(experiments.create(experimentRequest.parse(asked))).rejects.toMatchObject(refusal);
  await expect(experiments.count(experimentRequest.parse(asked))).rejects.toMatchObject(refusal);
});

it('takes replies that some runs of a plan send, and refuses those that none does', async () => {
  const settings = { operator_replies: ['Yes.'] };
  const asked = { name: 'Replies', models: ['a'], cycles: 1, settings };
  await expect(experiments.count(experimentRequest.parse(asked))).rejects.toMatchObject({
    message: expect.stringContaining(
      'settings.operator_replies: Replies are only sent if operator_policy is',
    ),
  });
  const factors = { operator_policy: ['none', 'fixed'] };
  expect(await experiments.count(experimentRequest.parse({ ...asked, factors }))).toBe(2);
});

it('takes attempts and thresholds that have an effect on some runs of a plan, and refuses the others', async () => {
  const count = (fields: object) =>
    experiments.count(
      experimentRequest.parse({ name: 'Tasks', mode: 'task', task: 'Do it.', models: ['a'], ...fields }),
    );
  await expect(count({ factors: { max_attempts: [1, 2] } })).rejects.toMatchObject({
    message: expect.stringContaining('factors.max_attempts: Another attempt follows only if a check fails.'),
  });
  await expect(count({ settings: { max_attempts: 2 } })).rejects.toMatchObject({
    message: expect.stringContaining('settings.max_attempts: Another attempt follows only if a check fails.'),
  });
  expect(await count({ settings: { max_attempts: 1 } })).toBe(1);
  const settings = { stall_guard: false };
  await expect(count({ settings, factors: { stall_threshold: [2, 3] } })).rejects.toMatchObject({
    message: expect.stringContaining('factors.stall_threshold: The stall guard is off.'),
  });
  expect(await count({ factors: { stall_guard: [true, false], stall_threshold: [2, 3] } })).toBe(4);
  const replies = {
    mode: 'explore',
    task: undefined,
    cycles: 1,
    settings: { operator_replies: ['A.', 'B.'] },
  };
  expect(await count({ ...replies, factors: { operator_policy: ['fixed', 'list'] } })).toBe(2);
});
