import type {
  BenchmarkCaseReply,
  BenchmarkCasesReply,
  BenchmarkCell,
  BenchmarkListReply,
  BenchmarkPlanReply,
  BenchmarkRecord,
  BenchmarkReply,
  BenchmarkRequest,
  BenchmarkResult,
  BenchmarkSummary,
} from '../api/benchmark.ts';
import type { Category } from '../api/benchmark-categories.ts';
import type { ResultFilter } from '../api/benchmark-filter.ts';
import { AppError } from '../errors/app-error.ts';
import type { ChatModel, ModelOptions } from '../model/chat-model.ts';
import type { ModelAccess } from '../queue/model-access.ts';
import { shownError } from '../runs/shown-error.ts';
import type { BenchmarkChange, BenchmarkStore, StoredBenchmark } from '../store/benchmark-store.ts';
import { firstCreated, type KeyUse, type RequestKey, requestKey } from '../store/request-key.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { mean } from '../util/mean.ts';
import { fullName, isSameModel } from '../util/model-name.ts';
import { readBenchmarkFiles } from './benchmark-files.ts';
import { type PlannedCase, plannedCases, prepareModel, totalOf } from './benchmark-work.ts';
import { benchmarkCells, fitsFilter } from './figures.ts';
import { runCase } from './run-case.ts';

/** How often a worker renews its claim on a benchmark. */
const BEAT_MS = 10_000;
/** A worker without a heartbeat for this long is considered dead. */
const STALE_MS = 60_000;
/** After this many cases in a row without a reply, the others would get none either. */
const MAX_FAILURES = 5;
/** The states in which a benchmark is worked on, or waits for it. */
const UNFINISHED = ['waiting', 'running'] as const;
/** Earlier benchmarks that the estimate of a new one considers. */
const ESTIMATE_BENCHMARKS = 5;

export interface BenchmarksOptions extends ModelAccess {
  store: BenchmarkStore;
  newId(): string;
  now(): number;
  /** A name for this process. */
  worker: string;
  /** The store's clock, if other processes use the store, too: the clocks of their machines may differ. */
  shared: { now(): Promise<number> } | undefined;
}

/** Which results are listed. */
export interface CaseQuery {
  after: number;
  limit: number;
  filter: ResultFilter;
  model?: string;
  category?: string;
}

interface Open {
  readonly id: string;
  /** Stops the case that is under way. */
  readonly stop: AbortController;
  /** Resolves when no work is done on it any more. */
  readonly over: PromiseWithResolvers<void>;
  /** Set once an error ends the work on it. */
  failed?: true;
}

/**
 * Puts the cases of function-calling benchmarks to models, one benchmark at a time, and each case in a separate slot
 * among the runs. Every result is stored before the next case starts, so a killed server continues where it was
 * (docs/decisions/0065).
 */
export class Benchmarks {
  readonly #options: BenchmarksOptions;
  readonly #open = new Map<string, Open>();
  readonly #closing = new AbortController();
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cells: { key: string; cells: BenchmarkCell[]; results: BenchmarkResult[] } | undefined;

  constructor(options: BenchmarksOptions) {
    this.#options = options;
  }

  /** Resumes unfinished benchmarks, now and whenever another process may have died. */
  start(): void {
    const look = () =>
      void this.#resume().catch((error: unknown) => console.error('Could not resume benchmarks:', error));
    look();
    if (this.#options.shared) this.#timer = setInterval(look, STALE_MS).unref();
  }

  /** The categories in a folder, and how long a case took each model before. @throws {AppError} `invalid_request` */
  async plan(folder: string): Promise<BenchmarkPlanReply> {
    const { cases, folder: found } = await readBenchmarkFiles(folder);
    const recent = (await this.#options.store.benchmarks()).slice(0, ESTIMATE_BENCHMARKS);
    const results: BenchmarkResult[] = [];
    for (const { record } of recent) results.push(...(await this.#options.store.benchmarkResults(record.id)));
    const byModel = [...Map.groupBy(results, ({ model }) => fullName(model))];
    return {
      folder: found,
      categories: [...cases].map(([name, each]) => ({ name, cases: each.length })),
      seconds: Object.fromEntries(
        byModel.flatMap(([model, own]) => {
          const seconds = meanSeconds(own);
          return seconds === undefined ? [] : [[model, seconds]];
        }),
      ),
    };
  }

  /**
   * Starts a benchmark. A repeated idempotency key returns the first one.
   *
   * @throws {AppError} `invalid_request`, `idempotency_conflict`, `benchmark_deleted`, and for models that cannot be used
   */
  async create(
    asked: BenchmarkRequest,
    { idempotencyKey }: { idempotencyKey?: string | undefined } = {},
  ): Promise<BenchmarkReply & { created: boolean }> {
    const key = requestKey(idempotencyKey, asked);
    // The first request was admitted: its folder or a model may be gone since.
    const before = key && (await this.#options.store.benchmarkOfKey(key.key));
    if (before) return this.#first(before, key);
    const { limit, models, categories, ...request } = asked;
    const { cases, folder, hash } = await readBenchmarkFiles(request.folder, categories);
    for (const model of models) await this.#options.admit({ model });
    const at = this.#options.now();
    const record: BenchmarkRecord = {
      ...{ id: this.#options.newId(), status: 'waiting', created_at: at, updated_at: at },
      ...{ ...request, folder, files_hash: hash, models, details: {} },
      categories: [...cases].map(([name, each]) => ({
        name,
        cases: Math.min(limit ?? each.length, each.length),
      })),
    };
    const meanwhile = await this.#options.store.createBenchmark(record, key);
    if (key && meanwhile) return this.#first(meanwhile, key);
    await this.#take(record.id);
    return { ...(await this.get(record.id)), created: true };
  }

  /** @throws {AppError} `idempotency_conflict`, `benchmark_deleted` */
  #first(first: KeyUse, key: RequestKey): Promise<BenchmarkReply & { created: false }> {
    return firstCreated('benchmark', { first, key, get: (id) => this.get(id) });
  }

  async list(): Promise<BenchmarkListReply> {
    return { benchmarks: (await this.#options.store.benchmarks()).map(summaryOf) };
  }

  /** @throws {AppError} `benchmark_not_found` */
  async get(id: string): Promise<BenchmarkReply> {
    const stored = await this.#stored(id);
    const { cells, results } = await this.#figures(stored);
    const summary = summaryOf(stored);
    const seconds = summary.status === 'running' ? meanSeconds(results) : undefined;
    const left = seconds === undefined ? {} : { seconds_left: (summary.total - summary.done) * seconds };
    return { benchmark: summary, cells, ...left };
  }

  /** Results in order, after a position. @throws {AppError} `benchmark_not_found` */
  async cases(
    id: string,
    { after, limit, filter, model, category }: CaseQuery,
  ): Promise<BenchmarkCasesReply> {
    const { results } = await this.#figures(await this.#stored(id));
    const fitting = results.filter(
      (result) =>
        fitsFilter(result, filter) &&
        (model === undefined || isSameModel(result.model, model)) &&
        (category === undefined || result.category === category),
    );
    const cases = fitting.filter(({ position }) => position > after).slice(0, limit);
    return { total: fitting.length, cases };
  }

  /** All results, for a table. @throws {AppError} `benchmark_not_found` */
  async results(id: string): Promise<readonly BenchmarkResult[]> {
    return (await this.#figures(await this.#stored(id))).results;
  }

  /** @throws {AppError} `benchmark_case_not_found` */
  async case(id: string, position: number): Promise<BenchmarkCaseReply> {
    const found = await this.#options.store.benchmarkCase(id, position);
    if (found) return found;
    throw new AppError({
      code: 'benchmark_case_not_found',
      message: `Case ${position} of the benchmark has no result.`,
    });
  }

  /** Stops a benchmark: the case that is under way is dropped. @throws {AppError} `benchmark_not_found` */
  async stop(id: string): Promise<BenchmarkReply> {
    const open = this.#open.get(id);
    if (open) {
      open.stop.abort();
      const isWaiting = this.#open.values().next().value !== open;
      if (isWaiting) await this.#leave(open);
      else await open.over.promise;
    }
    await this.#change(id, { from: UNFINISHED, status: 'stopped' });
    return this.get(id);
  }

  /**
   * Continues a stopped benchmark; cases that had no reply are not repeated. @throws {AppError} `benchmark_not_found`
   */
  async continue(id: string): Promise<BenchmarkReply> {
    const { record } = await this.#stored(id);
    if (record.status === 'stopped') {
      const open = this.#open.get(id);
      if (open?.failed) await open.over.promise;
      await this.#change(id, { from: ['stopped'], status: 'waiting', problem: null });
      await this.#take(id);
    }
    return this.get(id);
  }

  /** Deletes a benchmark with its results. @throws {AppError} `benchmark_not_found` */
  async delete(id: string): Promise<BenchmarkReply> {
    const last = await this.stop(id);
    await this.#options.store.deleteBenchmark(id);
    return last;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    for (const { stop } of this.#open.values()) stop.abort();
    await this.#working;
  }

  async #stored(id: string): Promise<StoredBenchmark> {
    const stored = await this.#options.store.benchmark(id);
    if (stored) return stored;
    throw new AppError({
      code: 'benchmark_not_found',
      message: `There is no benchmark "${id.slice(0, 100)}".`,
      hint: 'Check the ID: the benchmark may have been deleted.',
    });
  }

  /** Read again whenever a result was added. */
  async #figures({ record, done }: StoredBenchmark) {
    const key = `${record.id} ${done}`;
    if (this.#cells?.key !== key) {
      const results = await this.#options.store.benchmarkResults(record.id);
      this.#cells = { key, results, cells: benchmarkCells(results) };
    }
    return this.#cells;
  }

  async #change(id: string, change: Omit<BenchmarkChange, 'updated_at'>): Promise<void> {
    await this.#options.store.changeBenchmark(id, { ...change, updated_at: this.#options.now() });
  }

  async #resume(): Promise<void> {
    const stored = await this.#options.store.benchmarks();
    for (const { record } of stored.toReversed()) {
      if (record.status === 'waiting' || record.status === 'running') await this.#take(record.id);
    }
  }

  /** Works on a benchmark, after those before it, unless another process does. */
  async #take(id: string): Promise<void> {
    if (this.#open.has(id) || this.#closing.signal.aborted || !(await this.#hold(id))) return;
    if (this.#open.has(id)) return; // taken by another request in the meantime
    this.#open.set(id, { id, stop: new AbortController(), over: Promise.withResolvers() });
    this.#work();
  }

  async #hold(id: string): Promise<boolean> {
    const { store, worker, shared } = this.#options;
    const now = shared ? await shared.now() : this.#options.now();
    // With a single process, any other holder is gone.
    return store.holdBenchmark(id, {
      worker,
      now,
      staleBefore: now + (shared ? -STALE_MS : 1),
    });
  }

  /** Works on the first open benchmark, then on the next. */
  #work(): void {
    const [open] = this.#open.values();
    if (this.#working || !open || this.#closing.signal.aborted) return;
    this.#working = this.#workOn(open)
      .catch((error: unknown) => console.error('A benchmark stopped unexpectedly:', error)) // the server goes on
      .finally(() => {
        this.#working = undefined;
        this.#work();
      });
  }

  async #workOn(open: Open): Promise<void> {
    const { id, stop } = open;
    const beat = setInterval(() => void this.#beat(open), BEAT_MS);
    try {
      await retryWhileBusy(
        async () => {
          // Another process may have taken over the benchmark while it waited here.
          if (await this.#hold(id)) await this.#finish(open);
        },
        { subject: `Benchmark ${id}`, signal: stop.signal },
      );
    } catch (error) {
      open.failed = true;
      if (!stop.signal.aborted) await this.#stopWith(id, error);
    } finally {
      clearInterval(beat);
      await this.#leave(open);
    }
  }

  async #leave({ id, over }: Open): Promise<void> {
    await this.#options.store
      .releaseBenchmark(id, this.#options.worker)
      .catch((error: unknown) => console.warn('Could not release a benchmark:', error));
    this.#open.delete(id);
    over.resolve();
  }

  /** Another process takes a benchmark over if this one stalls; then it stops here. */
  async #beat({ id, stop }: Open): Promise<void> {
    try {
      if (!(await this.#hold(id))) stop.abort();
    } catch (error) {
      console.warn('Could not renew the claim on a benchmark:', error); // the next beat tries again
    }
  }

  async #stopWith(id: string, error: unknown): Promise<void> {
    const problem = shownError(error, { step: 'the benchmark was running' });
    await this.#change(id, { from: UNFINISHED, status: 'stopped', problem });
  }

  /** Puts all cases without a result to their models. Ends early when the benchmark was stopped. */
  async #finish({ id, stop }: Open): Promise<void> {
    const { signal } = stop;
    const { record } = await this.#stored(id);
    if (record.status !== 'waiting' && record.status !== 'running') return;
    const done = new Set((await this.#options.store.benchmarkResults(id)).map(({ position }) => position));
    const planned = plannedCases(record, await this.#filesOf(record));
    if (signal.aborted) return;
    // Reading the files takes a while, in which another process may have stopped it.
    await this.#change(id, { from: UNFINISHED, status: 'running' });
    const prepared = new Map<string, { chat: ChatModel; options: ModelOptions }>();
    let failures = 0;
    for (const next of planned.filter(({ position }) => !done.has(position))) {
      const { status } = (await this.#stored(id)).record;
      if (signal.aborted || status === 'stopped') return;
      const failed = await this.#runCase(next, { id, record, prepared, signal });
      if (signal.aborted) return;
      failures = failed === undefined ? 0 : failures + 1;
      if (failed && failures >= MAX_FAILURES) throw new AppError(failed);
    }
    await this.#change(id, { from: UNFINISHED, status: 'finished' });
  }

  /** @returns why there was no reply */
  async #runCase(
    { position, model, one }: PlannedCase,
    {
      id,
      record,
      prepared,
      signal,
    }: {
      id: string;
      record: BenchmarkRecord;
      prepared: Map<string, { chat: ChatModel; options: ModelOptions }>;
      signal: AbortSignal;
    },
  ): Promise<BenchmarkResult['error']> {
    const use = { id: `benchmark-${id}`, purpose: 'benchmark' as const, model, signal };
    const ran = await this.#options.slots.withSlot(use, async (within) => {
      const known = prepared.get(model) ?? (await this.#prepare(model, { id, record, signal: within }));
      prepared.set(model, known);
      const settings = { model, options: known.options, think: record.think };
      return runCase(one, { chat: known.chat, settings, signal: within });
    });
    const result = { position, ...ran.result };
    await retryWhileBusy(() => this.#options.store.addBenchmarkResult(id, result, ran.evidence), {
      subject: `Benchmark ${id}`,
      signal,
    });
    return ran.result.read === undefined ? ran.result.error : undefined;
  }

  /** Loads a model and notes its version. */
  async #prepare(
    model: string,
    { id, record, signal }: { id: string; record: BenchmarkRecord; signal: AbortSignal },
  ): Promise<{ chat: ChatModel; options: ModelOptions }> {
    const chat = await this.#options.modelFor(model);
    const { details, options } = await prepareModel(chat, model, { record, signal });
    await this.#change(id, { details: { [model]: details } });
    return { chat, options };
  }

  /** @throws {AppError} `invalid_request` if the files are no longer those with which the benchmark started */
  async #filesOf({ folder, categories, files_hash }: BenchmarkRecord) {
    const names: Category[] = categories.map(({ name }) => name);
    const files = await readBenchmarkFiles(folder, names);
    if (files.hash === files_hash) return files.cases;
    throw new AppError({
      code: 'invalid_request',
      message: `The files in ${folder} have changed since the benchmark started.`,
      hint: 'Start a new benchmark, so that all models get the same cases.',
    });
  }
}

function summaryOf({ record, done }: StoredBenchmark): BenchmarkSummary {
  return { ...record, total: totalOf(record), done };
}

/** The mean time of the cases with a reply: a refusal takes no time, and a time-out all of it. */
function meanSeconds(results: readonly BenchmarkResult[]): number | undefined {
  const ms = mean(results.flatMap(({ read, duration_ms }) => (read ? [duration_ms] : [])));
  return ms === undefined ? undefined : ms / 1000;
}
