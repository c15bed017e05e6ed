import { Worker } from 'node:worker_threads';
import type { CheckSummary, ModelCheck } from '../api/model-check.ts';
import type { ModelReading } from '../api/model-reading.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { Found } from '../api/search.ts';
import type { ShareRecord } from '../api/share.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import { AlreadyRunningError, type LockHolder } from './instance-lock.ts';
import type { EventRange, EventText, ListPage, RunReader, RunStore, TextRange } from './run-store.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { CATCH_UP_MS, type SqliteRunStore, type SqliteStoreOptions } from './sqlite-store.ts';

type Remote = Omit<RunStore, 'onAppend' | keyof RunReader> & Pick<SqliteRunStore, 'announce' | 'catchUp'>;

/** What the thread is asked to do. */
export interface ToStore {
  id: number;
  method: keyof Remote;
  args: unknown[];
}

/** An error on its way between threads, where classes do not travel. */
export interface SentError {
  known?: { code: string; message: string; hint?: string };
  running?: boolean;
  holder?: LockHolder;
  error?: unknown;
}

/** What the thread says. */
export type FromStore =
  | { kind: 'open'; path: string }
  | ({ kind: 'refused' } & SentError)
  | { kind: 'done'; id: number; value: unknown }
  | ({ kind: 'failed'; id: number } & SentError)
  | { kind: 'appended'; runId: string; lastSeq: number };

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The SQLite store with its writing in a thread of its own: a disk that takes seconds to write an event down keeps
 * nobody waiting but the run whose event it is. Reading happens here, on a connection of its own (docs/decisions/0013).
 */
export class ThreadedRunStore implements RunStore {
  readonly path: string;
  readonly create = this.#remote('create');
  readonly fork = this.#remote('fork');
  readonly importRun = this.#remote('importRun');
  readonly claim = this.#remote('claim');
  readonly append = this.#remote('append');
  readonly beginRecovery = this.#remote('beginRecovery');
  readonly settleRecovery = this.#remote('settleRecovery');
  readonly saveModelCheck = this.#remote('saveModelCheck');
  readonly saveExperiment = this.#remote('saveExperiment');
  readonly deleteRun = this.#remote('deleteRun');
  readonly addShare = this.#remote('addShare');
  readonly revokeShare = this.#remote('revokeShare');
  readonly countShareView = this.#remote('countShareView');
  readonly #reader: SqliteReader;
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(runId: string, lastSeq: number) => void>();
  #lastId = 0;
  #lost: AppError | undefined;

  private constructor(thread: Worker, reader: SqliteReader) {
    this.path = reader.path;
    this.#reader = reader;
    this.#thread = thread;
    thread.on('message', (message: FromStore) => this.#hear(message));
    thread.on('error', (error) => this.#lose(error));
    thread.on('exit', () => this.#lose(new Error('its thread has ended')));
  }

  /** @throws {AppError} what `SqliteRunStore.open` throws */
  static async open(dataDir: string, options: SqliteStoreOptions = {}): Promise<ThreadedRunStore> {
    const thread = new Worker(new URL('./store-thread.ts', import.meta.url), {
      workerData: { dataDir, options },
      // Not those of this process: some say how its own text was given (--input-type).
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const first = await new Promise<FromStore>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    if (first.kind !== 'open') {
      await thread.terminate();
      throw first.kind === 'refused' ? received(first, dataDir) : new Error('The store did not open');
    }
    const { busyPatienceMs } = options;
    return new ThreadedRunStore(thread, SqliteReader.open(first.path, { patienceMs: busyPatienceMs }));
  }

  read(runId: string, range: EventRange): Promise<RunEvent[]> {
    return this.#reader.read(runId, range);
  }

  readOne(runId: string, seq: number): Promise<RunEvent | undefined> {
    return this.#reader.readOne(runId, seq);
  }

  readTexts(runId: string, range: TextRange): Promise<EventText[]> {
    return this.#reader.readTexts(runId, range);
  }

  list(page: ListPage): Promise<RunSummary[]> {
    return this.#reader.list(page);
  }

  summary(runId: string): Promise<RunSummary | undefined> {
    return this.#reader.summary(runId);
  }

  unfinished(): Promise<RunSummary[]> {
    return this.#reader.unfinished();
  }

  forksOf(runId: string): Promise<RunSummary[]> {
    return this.#reader.forksOf(runId);
  }

  experiment(id: string): ReturnType<RunReader['experiment']> {
    return this.#reader.experiment(id);
  }

  experiments(): ReturnType<RunReader['experiments']> {
    return this.#reader.experiments();
  }

  unfinishedExperiments(): ReturnType<RunReader['unfinishedExperiments']> {
    return this.#reader.unfinishedExperiments();
  }

  modelChecks(): Promise<CheckSummary[]> {
    return this.#reader.modelChecks();
  }

  modelCheck(model: string, digest?: string): Promise<ModelCheck | undefined> {
    return this.#reader.modelCheck(model, digest);
  }

  shares(): Promise<ShareRecord[]> {
    return this.#reader.shares();
  }

  shareByHash(tokenHash: string): Promise<ShareRecord | undefined> {
    return this.#reader.shareByHash(tokenHash);
  }

  readings(): Promise<Map<string, ModelReading>> {
    return this.#reader.readings();
  }

  async search(...asked: Parameters<RunReader['search']>): Promise<Found> {
    await this.#call('catchUp', [CATCH_UP_MS]);
    return this.#reader.search(...asked);
  }

  /** Tells a second start where this one is reached. */
  announce(holder: LockHolder): Promise<void> {
    return this.#call('announce', [holder]);
  }

  onAppend(listener: (runId: string, lastSeq: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    // The last connection that is closed brings the journal into the database: it must be the one that may write.
    this.#reader.close();
    if (this.#lost) return;
    const ended = new Promise((resolve) => this.#thread.once('exit', resolve));
    await this.#call('close', []);
    await ended;
  }

  #remote<Method extends keyof Remote>(method: Method): Remote[Method] {
    const call = (...args: unknown[]) => this.#call(method, args);
    return call as Remote[Method];
  }

  #call<Value>(method: keyof Remote, args: unknown[]): Promise<Value> {
    if (this.#lost) return Promise.reject(this.#lost);
    const id = ++this.#lastId;
    return new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#thread.postMessage({ id, method, args } satisfies ToStore);
    }) as Promise<Value>;
  }

  #hear(message: FromStore): void {
    if (message.kind === 'appended') this.#wake(message.runId, message.lastSeq);
    if (message.kind !== 'done' && message.kind !== 'failed') return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'done') pending?.resolve(message.value);
    else pending?.reject(received(message, this.path));
  }

  #wake(runId: string, lastSeq: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(runId, lastSeq);
      } catch (error) {
        console.error('A listener of the store failed:', error); // the append stands, whoever failed to hear of it
      }
    }
  }

  #lose(cause: Error): void {
    this.#lost ??= new AppError({
      code: 'store_lost',
      message: `The store ${this.path} is no longer there: ${cause.message}.`,
      hint: 'Start Loupe again: what was stored is safe, and unfinished runs go on.',
      cause,
    });
    for (const { reject } of this.#pending.values()) reject(this.#lost);
    this.#pending.clear();
  }
}

function received({ known, running, holder, error }: SentError, dataDir: string): unknown {
  if (running) return new AlreadyRunningError(dataDir, holder);
  return known ? new AppError(known) : error;
}
