import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BenchmarkRequest, benchmarkRequest } from '../api/benchmark.ts';
import { AppError } from '../errors/app-error.ts';
import { ModelError } from '../model/model-error.ts';
import type { BenchmarkChange, BenchmarkStore } from '../store/benchmark-store.ts';
import { SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { writeBenchmarkFolder } from '../testing/benchmark-folder.ts';
import { scriptedModel } from '../testing/simulate-run.ts';
import { Benchmarks } from './benchmarks.ts';

let root: string;
let folder: string;
let store: SqliteRunStore;
let asked: string[];
let opened: Benchmarks[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loupe-benchmark-work-'));
  folder = writeBenchmarkFolder(join(root, 'files'), ['hall', 'attic']);
  store = SqliteRunStore.open(join(root, 'loupe'), { ballastMegabytes: 1 });
  asked = [];
  opened = [];
});

afterEach(async () => {
  for (const benchmarks of opened) await benchmarks.close();
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

/**
 * A process that works on benchmarks, alone or with others that share a clock; its own one is `lateMs` ahead. Its models
 * answer once `turn` resolves.
 */
function worker({
  name = 'one',
  shared,
  lateMs = 0,
  turn = async () => undefined,
  kept = store,
}: {
  name?: string;
  shared?: { now(): Promise<number> };
  lateMs?: number;
  turn?: () => Promise<void>;
  kept?: BenchmarkStore;
} = {}) {
  const benchmarks = new Benchmarks({
    store: kept,
    slots: { withSlot: ({ signal }, work) => work(signal), queuePosition: () => undefined },
    admit: async () => undefined,
    modelFor: async () =>
      scriptedModel(async ({ model }, { signal }) => {
        asked.push(`${name} ${model}`);
        const stopped = new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
        await Promise.race([turn(), stopped]);
        return { message: { role: 'assistant', content: 'No.' }, timings: {} };
      }),
    newId: randomUUID,
    now: () => Date.now() + lateMs,
    worker: name,
    shared,
  });
  opened.push(benchmarks);
  return benchmarks;
}

/** The store with some operations replaced. */
function storeWith(change: Partial<BenchmarkStore>): BenchmarkStore {
  return {
    benchmarks: () => store.benchmarks(),
    benchmark: (id) => store.benchmark(id),
    benchmarkResults: (id) => store.benchmarkResults(id),
    benchmarkCase: (id, position) => store.benchmarkCase(id, position),
    benchmarkOfKey: (key) => store.benchmarkOfKey(key),
    createBenchmark: (...created) => store.createBenchmark(...created),
    changeBenchmark: (...change) => store.changeBenchmark(...change),
    addBenchmarkResult: (...result) => store.addBenchmarkResult(...result),
    holdBenchmark: (...hold) => store.holdBenchmark(...hold),
    releaseBenchmark: (...hold) => store.releaseBenchmark(...hold),
    deleteBenchmark: (id) => store.deleteBenchmark(id),
    ...change,
  };
}

/** Which calls of an operation find the store busy. */
const FAILING = new Set([1, 2, 5, 7]);

const request = (change: Partial<BenchmarkRequest> = {}) =>
  benchmarkRequest.parse({ folder, models: ['alpha'], categories: ['simple_python'], ...change });

const statusOf = async (benchmarks: Benchmarks, id: string) => (await benchmarks.get(id)).benchmark.status;

it('stays stopped when it is stopped while its files are being read', async () => {
  const benchmarks = worker();
  const { benchmark } = await benchmarks.create(request());
  const stopped = await benchmarks.stop(benchmark.id);
  expect(stopped.benchmark.status).toBe('stopped');
  expect(asked).toEqual([]);
});

it('is created once for a repeated request, even if its folder no longer exists', async () => {
  const benchmarks = worker({ turn: () => Promise.withResolvers<void>().promise });
  const create = (change: Partial<BenchmarkRequest> = {}) =>
    benchmarks.create(request(change), { idempotencyKey: 'key' });
  const created = await Promise.all([create(), create(), create()]);
  expect(created.map((each) => each.created).sort()).toEqual([false, false, true]);
  const ids = new Set(created.map(({ benchmark }) => benchmark.id));
  expect(ids.size).toBe(1);
  rmSync(folder, { recursive: true });
  const [id = ''] = ids;
  expect(await create()).toMatchObject({ created: false, benchmark: { id } });
  await expect(create({ limit: 1 })).rejects.toMatchObject({ code: 'idempotency_conflict' });
  await benchmarks.delete(id);
  await expect(create()).rejects.toMatchObject({
    code: 'benchmark_deleted',
    message: `The benchmark that was started with this idempotency key was deleted (benchmark ${id}).`,
  });
  expect((await benchmarks.list()).benchmarks).toEqual([]);
});

it('continues once, however many requests come at the same time', async () => {
  const benchmarks = worker({ turn: () => Promise.withResolvers<void>().promise });
  const { benchmark } = await benchmarks.create(request());
  await benchmarks.stop(benchmark.id);
  await Promise.all([benchmarks.continue(benchmark.id), benchmarks.continue(benchmark.id)]);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect((await benchmarks.stop(benchmark.id)).benchmark.status).toBe('stopped');
});

it('continues if this is requested while its failed work is still ending', async () => {
  const failed = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = storeWith({
    async releaseBenchmark(...hold) {
      failed.resolve();
      await release.promise;
      await store.releaseBenchmark(...hold);
    },
  });
  let tries = 0;
  const benchmarks = worker({
    kept: slow,
    turn: async () => {
      tries += 1;
      if (tries === 1) throw new Error('Broken.');
    },
  });
  const { benchmark } = await benchmarks.create(request({ limit: 1 }));
  await failed.promise;
  expect(await statusOf(benchmarks, benchmark.id)).toBe('stopped');
  const continued = benchmarks.continue(benchmark.id);
  await Promise.race([continued, delay(100)]);
  release.resolve();
  await continued;
  await vi.waitFor(async () => expect(await statusOf(benchmarks, benchmark.id)).toBe('finished'));
});

it.each(['continue', 'stop'] as const)(
  'is not restored by a request to %s that arrives while it is deleted',
  async (action) => {
    const first = worker();
    const { benchmark } = await first.create(request());
    const { id } = benchmark;
    await first.stop(id);
    const second = worker({
      name: 'two',
      kept: storeWith({
        async changeBenchmark(...change) {
          await first.delete(id);
          await store.changeBenchmark(...change);
        },
      }),
    });
    await expect(second[action](id)).rejects.toMatchObject({ code: 'benchmark_not_found' });
    expect((await first.list()).benchmarks).toEqual([]);
  },
);

it('stays stopped if another process stops it while a model is being loaded', async () => {
  const shared = { now: async () => 1_000_000 };
  const other = worker({ name: 'other', shared });
  const left = Promise.withResolvers<void>();
  const kept = storeWith({
    async changeBenchmark(id, change) {
      if (change.details) await other.stop(id);
      await store.changeBenchmark(id, change);
    },
    async releaseBenchmark(...hold) {
      await store.releaseBenchmark(...hold);
      left.resolve();
    },
  });
  const mine = worker({ shared, kept });
  const { benchmark } = await mine.create(request());
  await left.promise;
  expect(await store.benchmark(benchmark.id)).toMatchObject({
    record: { status: 'stopped', details: { alpha: {} } },
  });
});

it('waits while the store is locked or does not respond, and asks no model twice', async () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue();
  const tries = { read: 0, save: 0, hold: 0 };
  // Each operation of the work fails at first, and again later.
  const reach = (operation: keyof typeof tries) => {
    tries[operation] += Number(created);
    if (FAILING.has(tries[operation])) throw new AppError({ code: 'store_busy', message: 'Busy.' });
  };
  let created = false;
  const saved: BenchmarkChange[] = [];
  const kept = storeWith({
    async benchmark(id) {
      reach('read');
      return store.benchmark(id);
    },
    async changeBenchmark(id, change) {
      reach('save');
      saved.push(change);
      await store.changeBenchmark(id, change);
    },
    async holdBenchmark(...hold) {
      reach('hold');
      return store.holdBenchmark(...hold);
    },
  });
  const turn = Promise.withResolvers<void>();
  const benchmarks = worker({ kept, turn: () => turn.promise });
  const { benchmark } = await benchmarks.create(request());
  created = true;
  turn.resolve();
  await vi.waitFor(async () => expect((await store.benchmark(benchmark.id))?.record.status).toBe('finished'));
  const results = await store.benchmarkResults(benchmark.id);
  expect(results.every(({ error }) => error === undefined)).toBe(true);
  expect(asked).toHaveLength(results.length);
  expect(saved.filter(({ status }) => status === 'stopped')).toEqual([]);
  expect(warned.mock.calls.flat().join()).toContain(`Benchmark ${benchmark.id} is waiting for the database`);
  warned.mockRestore();
});

it('leaves a queued benchmark to the process that took it over', async () => {
  const first = Promise.withResolvers<void>();
  let now = 1_000_000;
  const shared = { now: async () => now };
  const mine = worker({ shared, turn: () => first.promise });
  const ids = [];
  for (const model of ['alpha', 'beta', 'gamma']) {
    ids.push((await mine.create(request({ models: [model], limit: 1 }))).benchmark.id);
  }
  const other = Promise.withResolvers<void>();
  const late = worker({ name: 'other', shared, turn: () => other.promise });
  const [alpha = '', beta = '', gamma = ''] = ids;
  now += 61_000;
  await store.holdBenchmark(alpha, { worker: 'one', now, staleBefore: 0 });
  await store.holdBenchmark(gamma, { worker: 'one', now, staleBefore: 0 });
  late.start();
  await vi.waitFor(() => expect(asked).toEqual(['one alpha', 'other beta']));
  first.resolve();
  await vi.waitFor(async () => expect(await statusOf(mine, gamma)).toBe('finished'));
  expect(asked).toEqual(['one alpha', 'other beta', 'one gamma']);
  other.resolve();
  await vi.waitFor(async () => expect(await statusOf(mine, beta)).toBe('finished'));
});

it('does not take over a benchmark from a process that works on it, even if the clock of its machine is behind', async () => {
  const shared = { now: async () => 1_000_000 };
  const turn = Promise.withResolvers<void>();
  const mine = worker({ shared, turn: () => turn.promise });
  const { benchmark } = await mine.create(request({ limit: 1 }));
  await vi.waitFor(() => expect(asked).toEqual(['one alpha']));
  const ahead = worker({ name: 'ahead', shared, lateMs: 3_600_000, turn: () => turn.promise });
  const holds = vi.spyOn(store, 'holdBenchmark');
  ahead.start();
  await vi.waitFor(() => expect(holds.mock.calls.map(([, { worker }]) => worker)).toEqual(['ahead']));
  expect(await holds.mock.results[0]?.value).toBe(false);
  holds.mockRestore();
  turn.resolve();
  await vi.waitFor(async () => expect(await statusOf(mine, benchmark.id)).toBe('finished'));
});

it('refuses a category or a model that is named twice, even under different names', () => {
  expect(() => request({ categories: ['simple_python', 'simple_python'] })).toThrow('named twice');
  expect(() => request({ models: ['qwen3', 'qwen3:latest'] })).toThrow('A model is named twice.');
});

it('finds cases, and the time that they took, under any name of their model', async () => {
  const benchmarks = worker();
  const { benchmark } = await benchmarks.create(request({ models: ['alpha'] }));
  await vi.waitFor(async () => expect(await statusOf(benchmarks, benchmark.id)).toBe('finished'));
  const query = { after: 0, limit: 10, filter: 'all' as const };
  const { total } = await benchmarks.cases(benchmark.id, query);
  expect(total).toBeGreaterThan(0);
  expect((await benchmarks.cases(benchmark.id, { ...query, model: 'alpha:latest' })).total).toBe(total);
  expect(Object.keys((await benchmarks.plan(folder)).seconds)).toEqual(['alpha:latest']);
});

it('estimates by the cases with a reply: without one the time is unknown', async () => {
  let refuses = true;
  const benchmarks = worker({
    turn: async () => {
      if (refuses) throw new ModelError({ kind: 'http', status: 400, message: 'Refused.' });
      await delay(20);
    },
  });
  const { benchmark } = await benchmarks.create(request({ limit: 1 }));
  await vi.waitFor(async () => expect(await statusOf(benchmarks, benchmark.id)).toBe('finished'));
  expect((await benchmarks.plan(folder)).seconds).toEqual({});
  refuses = false;
  const { benchmark: second } = await benchmarks.create(request({ limit: 1 }));
  await vi.waitFor(async () => expect(await statusOf(benchmarks, second.id)).toBe('finished'));
  const { seconds } = await benchmarks.plan(folder);
  expect(seconds['alpha:latest']).toBeGreaterThanOrEqual(0.019);
});
