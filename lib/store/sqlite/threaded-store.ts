import { Worker } from 'node:worker_threads';
import type { Found } from '../../api/search.ts';
import { AppError } from '../../errors/app-error.ts';
import { type FileRun, type ImportSteps, importInSlices } from '../import-run.ts';
import { createLog } from '../new-log.ts';
import type { AppendRequest, CreatedLog, NewRunLog } from '../run-store.ts';
import type { Store, StoreReader } from '../store.ts';
import { AlreadyRunningError, type LockHolder } from './instance-lock.ts';
import { ReadingStore } from './reading-store.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { CATCH_UP_MS, type RunAppend, type SqliteRunStore, type SqliteStoreOptions } from './sqlite-store.ts';

type Remote = Omit<Store, 'append' | 'create' | 'importRun' | keyof StoreReader> &
  Pick<SqliteRunStore, 'announce' | 'appendAll' | 'catchUp' | 'insertRun' | keyof ImportSteps>;

/** A request to the thread. */
export interface ToStore {
  id: number;
  method: keyof Remote;
  args: unknown[];
}

/** A serialized error: class instances cannot be sent between threads. */
export interface SentError {
  known?: { code: string; message: string; hint?: string };
  running?: boolean;
  holder?: LockHolder;
  error?: unknown;
}

/** A message from the thread. */
export type FromStore =
  | { kind: 'open'; path: string; full: boolean }
  | ({ kind: 'refused' } & SentError)
  | { kind: 'done'; id: number; value: unknown }
  | ({ kind: 'failed'; id: number } & SentError)
  | { kind: 'full' };

interface Append extends RunAppend {
  resolve(): void;
  reject(error: unknown): void;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The SQLite store with a writer thread, so that a disk that takes seconds per event delays only the run that appends.
 * Reads use a separate connection in this thread (docs/decisions/0013).
 */
export class ThreadedRunStore extends ReadingStore implements Store, ImportSteps {
  readonly path: string;
  readonly fork = this.#remote('fork');
  readonly beginImport = this.#remote('beginImport');
  readonly addToImport = this.#remote('addToImport');
  readonly publishImport = this.#remote('publishImport');
  readonly dropImport = this.#remote('dropImport');
  readonly keepImages = this.#remote('keepImages');
  readonly claim = this.#remote('claim');
  readonly beginRecovery = this.#remote('beginRecovery');
  readonly settleRecovery = this.#remote('settleRecovery');
  readonly saveModelCheck = this.#remote('saveModelCheck');
  readonly savePrice = this.#remote('savePrice');
  readonly createPreset = this.#remote('createPreset');
  readonly updatePreset = this.#remote('updatePreset');
  readonly deletePreset = this.#remote('deletePreset');
  readonly saveSuite = this.#remote('saveSuite');
  readonly deleteSuite = this.#remote('deleteSuite');
  readonly createBenchmark = this.#remote('createBenchmark');
  readonly changeBenchmark = this.#remote('changeBenchmark');
  readonly addBenchmarkResult = this.#remote('addBenchmarkResult');
  readonly holdBenchmark = this.#remote('holdBenchmark');
  readonly releaseBenchmark = this.#remote('releaseBenchmark');
  readonly deleteBenchmark = this.#remote('deleteBenchmark');
  readonly createExperiment = this.#remote('createExperiment');
  readonly saveExperiment = this.#remote('saveExperiment');
  readonly deleteExperiment = this.#remote('deleteExperiment');
  readonly deleteRun = this.#remote('deleteRun');
  readonly annotate = this.#remote('annotate');
  readonly hideRuns = this.#remote('hideRuns');
  readonly restoreRuns = this.#remote('restoreRuns');
  readonly finalizeDeletions = this.#remote('finalizeDeletions');
  readonly purgeRuns = this.#remote('purgeRuns');
  readonly addShare = this.#remote('addShare');
  readonly revokeShare = this.#remote('revokeShare');
  readonly countShareView = this.#remote('countShareView');
  readonly addSignIn = this.#remote('addSignIn');
  readonly touchSignIn = this.#remote('touchSignIn');
  readonly deleteSignIns = this.#remote('deleteSignIns');
  readonly revokeStandingApprovals = this.#remote('revokeStandingApprovals');
  readonly #insertRun = this.#remote('insertRun');
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  /** Appends that wait until the thread has written earlier ones, to be written together. */
  #gathered: Append[] = [];
  #isAppending = false;
  #lastId = 0;
  #lost: AppError | undefined;
  #full: boolean;

  private constructor(thread: Worker, reader: SqliteReader, full: boolean) {
    super(reader);
    this.#full = full;
    this.path = reader.path;
    this.#thread = thread;
    thread.on('message', (message: FromStore) => this.#hear(message));
    thread.on('error', (error) => this.#lose(error));
    thread.on('exit', () => this.#lose(new Error('its thread exited')));
  }

  /** @throws {AppError} like `SqliteRunStore.open` */
  static async open(dataDir: string, options: SqliteStoreOptions = {}): Promise<ThreadedRunStore> {
    const thread = new Worker(new URL('./store-thread.ts', import.meta.url), {
      workerData: { dataDir, options },
      // Don't inherit this process's flags: some describe its entry point (--input-type).
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
    const reader = SqliteReader.open(first.path, { patienceMs: busyPatienceMs });
    return new ThreadedRunStore(thread, reader, first.full);
  }

  /** The log is prepared in this thread, whose code is warm. */
  create(run: NewRunLog): Promise<CreatedLog> {
    return createLog(run, this.#insertRun);
  }

  importRun(run: FileRun): ReturnType<Store['importRun']> {
    return importInSlices(this, run, (...asked) => this.keepImages(...asked));
  }

  append(runId: string, request: AppendRequest): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#gathered.push({ runId, request, resolve, reject });
    if (!this.#isAppending) void this.#appendGathered();
    return promise;
  }

  async #appendGathered(): Promise<void> {
    this.#isAppending = true;
    while (this.#gathered.length > 0) {
      const appends = this.#gathered;
      this.#gathered = [];
      try {
        const asked = appends.map(({ runId, request }) => ({ runId, request }));
        const errors = await this.#call<(SentError | undefined)[]>('appendAll', [asked]);
        for (const [index, { resolve, reject }] of appends.entries()) {
          const error = errors[index];
          if (error) reject(received(error, this.path));
          else resolve();
        }
      } catch (error) {
        for (const { reject } of appends) reject(error);
      }
    }
    this.#isAppending = false;
  }

  async search(...asked: Parameters<StoreReader['search']>): Promise<Found> {
    await this.#call('catchUp', [CATCH_UP_MS]);
    return this.reader.search(...asked);
  }

  /** Asks the thread only while the disk is full, so that a slow disk does not delay the answer. */
  async fullDisk(): ReturnType<Store['fullDisk']> {
    if (!this.#full) return undefined;
    const refusal = await this.#call<Awaited<ReturnType<Store['fullDisk']>>>('fullDisk', []);
    this.#full = refusal !== undefined;
    return refusal;
  }

  /** Publishes this process's URL for a second start. */
  announce(holder: LockHolder): Promise<void> {
    return this.#call('announce', [holder]);
  }

  async close(): Promise<void> {
    // The last connection to close checkpoints the journal, so it must be the writer.
    this.reader.close();
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
    if (message.kind === 'full') this.#full = true;
    if (message.kind !== 'done' && message.kind !== 'failed') return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'done') pending?.resolve(message.value);
    else pending?.reject(received(message, this.path));
  }

  #lose(cause: Error): void {
    this.#lost ??= new AppError({
      code: 'store_lost',
      message: `The store ${this.path} stopped unexpectedly: ${cause.message}.`,
      hint: 'Restart Loupe. Stored data is safe, and unfinished runs resume.',
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
