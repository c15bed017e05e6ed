import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { type Compilable, sql } from 'kysely';
import { z } from 'zod';
import type { BenchmarkEvidence, BenchmarkRecord, BenchmarkResult } from '../../api/benchmark.ts';
import type { ExperimentItem, ExperimentSummary } from '../../api/experiment.ts';
import type { ModelCheck } from '../../api/model-check.ts';
import type { PresetRecord } from '../../api/preset.ts';
import type { AnnotationChange } from '../../api/run-annotations.ts';
import type { RunSummary } from '../../api/run-summary.ts';
import type { Found } from '../../api/search.ts';
import type { ShareRecord } from '../../api/share.ts';
import type { SignInRecord } from '../../api/sign-in.ts';
import { type StandingApprovalRecord, standingApprovalRecord } from '../../api/standing-approval.ts';
import type { SuiteRecord } from '../../api/suite.ts';
import { AppError } from '../../errors/app-error.ts';
import { forkedLog } from '../../events/forked-log.ts';
import { runEvent } from '../../events/registry.ts';
import { steadyNow } from '../../util/steady-clock.ts';
import {
  annotateStatements,
  finalDeletions,
  hideStatements,
  restoreStatement,
  runIdRow,
} from '../annotation-statements.ts';
import {
  addedResult,
  benchmarkOf,
  changedBenchmark,
  createdBenchmark,
  heldBenchmark,
  releasedBenchmark,
  savedBenchmark,
} from '../benchmark-statements.ts';
import type { BenchmarkChange, BenchmarkHold } from '../benchmark-store.ts';
import { freeBytes, prepareDataDirectory } from '../data-directory.ts';
import type { EventRow } from '../event-row.ts';
import { savedExperiment } from '../experiment-statements.ts';
import type { CreatedExperiment } from '../experiment-store.ts';
import { copiedImages, keptImage } from '../image-statements.ts';
import type { StoredImage } from '../image-store.ts';
import { type FileRun, type ImportKey, type ImportSteps, importInSlices } from '../import-run.ts';
import { seqBefore } from '../log-growth.ts';
import type { PriceChange } from '../model-store.ts';
import { beginningOf, createLog, type LogBeginning, type RunToInsert } from '../new-log.ts';
import {
  changedPreset,
  createdPreset,
  presetNamesakeOf,
  presetOf,
  updatedPreset,
} from '../preset-statements.ts';
import type { PresetChange } from '../preset-store.ts';
import { changedPrice, isPrice, priceOf } from '../price-statements.ts';
import type { KeyedKind, KeyUse, RequestKey } from '../request-key.ts';
import { keptKey, keyUseFromRow, keyUseQuery } from '../request-key-statements.ts';
import { selectRuns } from '../run-list-query.ts';
import { checkRow, extrasFromRow, newRow, toRow, toShareRow } from '../run-row.ts';
import {
  type AppendRequest,
  type CreatedLog,
  type NewRunLog,
  type RunStore,
  SeqConflictError,
  StaleEpochError,
} from '../run-store.ts';
import { IMPORTING, type RunsTable, sqlite } from '../schema.ts';
import { deletedSignIns, recentSignIns, signInId } from '../sign-in-statements.ts';
import { revokedApprovals, standingApprovalId } from '../standing-approval-statements.ts';
import type { Store } from '../store.ts';
import {
  isStorageFull,
  missingEvent,
  RunEndedError,
  RunNotEndedError,
  RunNotFoundError,
  StorageFullError,
  storeError,
} from '../store-errors.ts';
import { hashOf, isChanged, namesakeOf, savedCases, savedSuite } from '../suite-statements.ts';
import type { SavedSuite, SuiteChange } from '../suite-store.ts';
import { Compactor } from './compactor.ts';
import { DeletedRuns } from './deleted-runs.ts';
import { DiskRoom } from './disk-room.ts';
import { InstanceLock, type LockHolder } from './instance-lock.ts';
import { checkpoint } from './journal.ts';
import { openDatabase } from './open-database.ts';
import { ReadingStore } from './reading-store.ts';
import { SearchIndex } from './search-index.ts';
import { SqliteImports } from './sqlite-imports.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { BUSY_PATIENCE_MS, whenFree } from './when-free.ts';

/** The database within the data directory. */
export const DATABASE_FILE = 'loupe.db';

/** How long a search waits for events that are not in the index yet, in milliseconds. */
export const CATCH_UP_MS = 250;

const lease = z.object({ last_seq: z.number(), epoch: z.number(), phase: z.string() });

export interface SqliteStoreOptions {
  /** Size of the reserve for a full disk. Default: 16. */
  ballastMegabytes?: number;
  /**
   * How long an operation waits for a locked database before it fails with `store_busy`, in milliseconds. Default:
   * 5000.
   */
  busyPatienceMs?: number;
  /** Whether only this connection opens the database, so that no shared-memory file is needed. Default: false. */
  exclusive?: boolean;
}

/**
 * The embedded store: one SQLite file, written by this process alone. An append is on disk when its promise resolves
 * (WAL with `synchronous=FULL`).
 */
export class SqliteRunStore extends ReadingStore implements Store, ImportSteps {
  readonly path: string;
  readonly #database: Database.Database;
  readonly #lock: InstanceLock;
  readonly #room: DiskRoom;
  readonly #compactor: Compactor;
  readonly #index: SearchIndex;
  readonly #imports: SqliteImports;
  readonly #deleted: DeletedRuns;
  readonly #patienceMs: number;
  readonly #selectLease: Database.Statement<[string]>;
  readonly #insertEvent: Database.Statement<[string, number, string, number, string]>;
  readonly #updateSummary: Database.Statement<[object]>;
  readonly #addCount: Database.Statement<[string, string, number]>;
  #addRun: Database.Statement<[object]> | undefined;

  private constructor(options: {
    path: string;
    database: Database.Database;
    lock: InstanceLock;
    room: DiskRoom;
    patienceMs: number;
  }) {
    super(new SqliteReader(options));
    this.path = options.path;
    this.#database = options.database;
    this.#lock = options.lock;
    this.#room = options.room;
    this.#patienceMs = options.patienceMs;
    this.#index = new SearchIndex(this.#database, this.#room);
    this.#index.soon();
    this.#compactor = new Compactor(this.#database, this.#room);
    this.#compactor.soon();
    this.#imports = new SqliteImports({
      database: this.#database,
      write: (work) => this.#transaction(work),
      published: () => this.#index.soon(),
      removed: () => this.#compactor.soon(),
    });
    this.#imports.removeLater();
    this.#deleted = new DeletedRuns(this.#database);
    this.#selectLease = this.#database.prepare(
      'select last_seq, epoch, phase from runs where id = ? and epoch >= 0',
    );
    this.#insertEvent = this.#database.prepare(
      'insert into events (run_id, seq, type, at, body) values (?, ?, ?, ?, ?)',
    );
    this.#updateSummary = this.#database.prepare(
      `update runs set updated_at = @updated_at, started_at = @started_at, ended_at = @ended_at,
         worked_ms = @worked_ms, phase = @phase, termination_reason = @termination_reason, message = @message, iterations_used = @iterations_used,
         turns = @turns, cycles = @cycles, tokens_in = @tokens_in, tokens_out = @tokens_out,
         tokens_estimated = @tokens_estimated, tool_calls = @tool_calls, cost_usd = @cost_usd, verification = @verification,
         outcome = @outcome, checks_failed = @checks_failed, checks_total = @checks_total,
         stop_requested = @stop_requested, last_seq = @last_seq
       where id = @id`,
    );
    this.#addCount = this.#database.prepare(
      `insert into model_counts (model, counter, count) values (?, ?, ?)
       on conflict (model, counter) do update set count = count + excluded.count`,
    );
  }

  /**
   * Opens the store of a data directory, creates it if missing, and migrates its schema.
   *
   * @throws {AppError} `data_directory_unusable`, `data_directory_remote`, `already_running`, `store_corrupt`,
   *   `store_too_new`, `store_not_writable`, `storage_full`; the files are unchanged
   */
  static open(dataDir: string, options: SqliteStoreOptions = {}): SqliteRunStore {
    prepareDataDirectory(dataDir);
    const lock = InstanceLock.take(dataDir);
    const path = join(dataDir, DATABASE_FILE);
    const isNew = !existsSync(path);
    const room = new DiskRoom(dataDir, { reserveMegabytes: options.ballastMegabytes });
    for (;;) {
      let database: Database.Database | undefined;
      try {
        database = openDatabase(path, options);
        room.begin();
        const { busyPatienceMs: patienceMs = BUSY_PATIENCE_MS } = options;
        return new SqliteRunStore({ path, database, lock, room, patienceMs });
      } catch (cause) {
        database?.close();
        const error = storeError(cause, path);
        if (error instanceof StorageFullError && room.giveRoom()) continue;
        if (isNew) for (const file of ['', '-wal', '-shm']) rmSync(path + file, { force: true });
        lock.release();
        throw isNew && error instanceof StorageFullError ? noRoomToBegin(dataDir, error) : error;
      }
    }
  }

  /** Publishes this server's URL for a second start. */
  announce(holder: LockHolder): void {
    this.#lock.announce(holder);
  }

  create(run: NewRunLog): Promise<CreatedLog> {
    return createLog(run, (prepared) => this.insertRun(prepared));
  }

  /** Inserts a run that `createLog` has prepared. */
  insertRun({ beginning, ...run }: RunToInsert): Promise<string> {
    return this.#make({ id: beginning.summary.id, ...run }, () => beginning);
  }

  async fork(run: Parameters<RunStore['fork']>[0]): Promise<{ runId: string; created: boolean }> {
    const { id, config, parent, events, idempotencyKey, folder } = run;
    const familyFrom = parent.run_id;
    const runId = await this.#make({ id, idempotencyKey, folder, familyFrom }, () => {
      const { last_seq } = this.#lease(parent.run_id);
      if (parent.seq > last_seq) throw missingEvent(parent.run_id, parent.seq);
      const prefix = this.reader.readNow(parent.run_id, { afterSeq: 0, limit: parent.seq });
      const log = forkedLog({ id, config, parent, prefix, events, at: steadyNow() });
      return beginningOf(
        id,
        log.map((event) => runEvent.parse(event)),
      );
    });
    return { runId, created: runId === id };
  }

  importRun(run: FileRun): Promise<{ runId: string; created: boolean }> {
    return importInSlices(this, run, (...asked) => this.keepImages(...asked));
  }

  beginImport(summary: RunSummary, importId: string): Promise<boolean> {
    return this.#imports.beginImport(summary, importId);
  }

  addToImport(key: ImportKey, rows: readonly EventRow[]): Promise<void> {
    return this.#imports.addToImport(key, rows);
  }

  publishImport(key: ImportKey): Promise<void> {
    return this.#imports.publishImport(key);
  }

  dropImport(key: ImportKey): Promise<void> {
    return this.#imports.dropImport(key);
  }

  /** Inserts a run with the beginning of its log, unless its key has already created one. Returns the ID of either. */
  #make(
    run: Omit<RunToInsert, 'beginning'> & { id: string; familyFrom?: string },
    begin: () => LogBeginning,
  ): Promise<string> {
    const { id, idempotencyKey, worker, folder, familyFrom, images = [] } = run;
    return this.#transaction(() => {
      if (idempotencyKey !== undefined) {
        const first = this.#first(
          sqlite.selectFrom('idempotency_keys').select('run_id').where('key', '=', idempotencyKey),
        );
        if (first) {
          return z.object({ run_id: z.string() }).parse(first).run_id;
        }
      }
      const { rows, summary } = begin();
      const family = familyFrom === undefined ? run.family : this.#familyOf(familyFrom);
      this.#insertRun(newRow(summary, { worker, family, folder }));
      this.#insertEvents(id, rows);
      for (const image of images) this.#run(keptImage(sqlite, id, image));
      if (familyFrom !== undefined) this.#run(copiedImages(sqlite, familyFrom, id));
      if (idempotencyKey !== undefined) {
        this.#run(
          sqlite
            .insertInto('idempotency_keys')
            .values({ key: idempotencyKey, run_id: id, created_at: steadyNow() }),
        );
      }
      this.#index.soon();
      return id;
    });
  }

  async claim(runId: string, worker: string): Promise<{ epoch: number; lastSeq: number }> {
    return this.#transaction(() => {
      const found = this.#lease(runId);
      if (found.phase === 'ended') throw new RunEndedError(runId);
      const epoch = found.epoch + 1;
      this.#run(sqlite.updateTable('runs').set({ epoch, worker }).where('id', '=', runId));
      return { epoch, lastSeq: found.last_seq };
    });
  }

  async append(runId: string, request: AppendRequest): Promise<void> {
    const [error] = await this.appendAll([{ runId, request }]);
    if (error) throw error;
  }

  /**
   * Appends to several runs in one transaction, so that they share its cost. A refused append changes nothing and does
   * not affect the others.
   *
   * @returns the error of each append, in order; `undefined` for those that are on disk
   */
  async appendAll(appends: readonly RunAppend[]): Promise<unknown[]> {
    try {
      return await this.#transaction(() => appends.map((append) => this.#tryAppend(append)), {
        mayUseReserve: appends.every(endsRun),
      });
    } catch (error) {
      if (appends.length === 1 || !isStorageFull(error)) return appends.map(() => error);
      // The end of a run is still written.
      const errors: unknown[] = [];
      for (const append of appends) errors.push(...(await this.appendAll([append])));
      return errors;
    }
  }

  #tryAppend({ runId, request }: RunAppend): unknown {
    try {
      this.#appendNow(runId, request);
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error; // refused before anything was written
      throw error;
    }
  }

  #appendNow(runId: string, { epoch, rows, counts, standingApprovals, summary }: AppendRequest): void {
    const expectedSeq = seqBefore(rows);
    const found = this.#lease(runId);
    // Epoch 0 is a run that no worker has claimed.
    if (epoch < 1 || found.epoch !== epoch) throw new StaleEpochError(runId, epoch);
    if (found.last_seq !== expectedSeq) throw new SeqConflictError(runId, expectedSeq, found.last_seq);
    if (found.phase === 'ended') throw new RunEndedError(runId);
    this.#insertEvents(runId, rows);
    for (const [counter, count] of counts) this.#addCount.run(summary.model, counter, count);
    for (const approval of standingApprovals) this.#keepStandingApproval(approval);
    this.#updateSummary.run(toRow(summary));
    this.#index.soon();
  }

  /** A later approval for the same tool and folder replaces the earlier one. */
  #keepStandingApproval(approval: StandingApprovalRecord): void {
    const { tool, folder, ...values } = standingApprovalRecord.parse(approval);
    this.#run(
      sqlite
        .insertInto('standing_approvals')
        .values({ tool, folder, ...values })
        .onConflict((conflict) => conflict.columns(['tool', 'folder']).doUpdateSet(values)),
    );
  }

  /** Brings the search up to date with the log, within a time limit. */
  async catchUp(patienceMs: number): Promise<void> {
    await this.#index.catchUp(patienceMs);
  }

  async search(...asked: Parameters<RunStore['search']>): Promise<Found> {
    await this.catchUp(CATCH_UP_MS);
    return this.reader.search(...asked);
  }

  async keepImages(runId: string, images: readonly StoredImage[]): Promise<void> {
    await this.#transaction(() => {
      this.#requireRow(runId);
      for (const image of images) this.#run(keptImage(sqlite, runId, image));
    });
  }

  async beginRecovery(runId: string): Promise<number> {
    const row = await this.#guard(() =>
      this.#first(
        sqlite
          .updateTable('runs')
          .set(({ eb }) => ({ recoveries: eb('recoveries', '+', 1) }))
          .where('id', '=', runId)
          .returning('recoveries'),
      ),
    );
    if (!row) throw new RunNotFoundError(runId);
    return z.object({ recoveries: z.number() }).parse(row).recoveries;
  }

  async settleRecovery(runId: string): Promise<void> {
    await this.#guard(
      () => this.#run(sqlite.updateTable('runs').set({ recoveries: 0 }).where('id', '=', runId)),
      { mayUseReserve: true },
    );
  }

  createExperiment({ summary, items, cases, key }: CreatedExperiment): Promise<KeyUse | undefined> {
    return this.#transaction(() => {
      const before = this.#usedBefore('experiment', summary.id, key);
      if (before) return before;
      for (const statement of savedExperiment(sqlite, summary, items)) this.#run(statement);
      if (cases) this.#run(savedCases(sqlite, summary.id, cases));
      return undefined;
    });
  }

  async saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void> {
    await this.#transaction(() => {
      for (const statement of savedExperiment(sqlite, summary, items)) this.#run(statement);
    });
  }

  /** What a key was used for before; otherwise stores it with what it creates. */
  #usedBefore(kind: KeyedKind, id: string, key: RequestKey | undefined): KeyUse | undefined {
    if (key === undefined) return undefined;
    const before = keyUseFromRow(this.#first(keyUseQuery(sqlite, kind, key.key)));
    if (before === undefined) this.#run(keptKey(sqlite, { ...key, kind, id }));
    return before;
  }

  async deleteExperiment(id: string): Promise<boolean> {
    const { sql, parameters } = sqlite.deleteFrom('experiments').where('id', '=', id).compile();
    const { changes } = await this.#guard(() => this.#database.prepare(sql).run(...parameters), {
      mayUseReserve: true,
    });
    return changes > 0;
  }

  async saveModelCheck(check: ModelCheck): Promise<void> {
    const { model, digest, ...values } = checkRow(check);
    await this.#transaction(() => {
      this.#run(
        sqlite
          .insertInto('model_checks')
          .values({ model, digest, ...values })
          .onConflict((conflict) => conflict.columns(['model', 'digest']).doUpdateSet(values)),
      );
      const { ended_at, summary } = values;
      this.#run(
        sqlite
          .insertInto('model_check_history')
          .values({ model, digest, ended_at, summary })
          .onConflict((conflict) => conflict.doNothing()),
      );
    });
  }

  async savePrice(model: string, change: PriceChange): Promise<'saved' | 'changed'> {
    return this.#transaction(() => {
      const statement = changedPrice(sqlite, model, change);
      if (statement) this.#run(statement);
      return isPrice(this.#first(priceOf(sqlite, model)), change.price) ? 'saved' : 'changed';
    });
  }

  async createPreset(preset: PresetRecord): Promise<boolean> {
    return this.#transaction(() => {
      if (this.#first(presetNamesakeOf(sqlite, preset))) return false;
      this.#run(createdPreset(sqlite, preset));
      return true;
    });
  }

  async updatePreset(id: string, change: PresetChange): Promise<PresetRecord | 'name_taken' | 'missing'> {
    return this.#transaction(() => {
      const changed = changedPreset(this.#first(presetOf(sqlite, id)), change);
      if (!changed) return 'missing';
      if (this.#first(presetNamesakeOf(sqlite, changed))) return 'name_taken';
      this.#run(updatedPreset(sqlite, changed));
      return changed;
    });
  }

  async deletePreset(id: string): Promise<boolean> {
    const { sql, parameters } = sqlite.deleteFrom('presets').where('id', '=', id).compile();
    const { changes } = await this.#guard(() => this.#database.prepare(sql).run(...parameters), {
      mayUseReserve: true,
    });
    return changes > 0;
  }

  async saveSuite(suite: SuiteRecord, change: SuiteChange): Promise<SavedSuite> {
    return this.#transaction(() => {
      const first = (query: Compilable): unknown => {
        const { sql, parameters } = query.compile();
        return this.#database.prepare(sql).get(...parameters);
      };
      if (isChanged(first(hashOf(sqlite, suite.id)), suite, change.base)) return 'changed';
      if (first(namesakeOf(sqlite, suite))) return 'name_taken';
      for (const statement of savedSuite(sqlite, suite, change.cases)) this.#run(statement);
      return 'saved';
    });
  }

  async deleteSuite(id: string): Promise<boolean> {
    const { sql, parameters } = sqlite.deleteFrom('suites').where('id', '=', id).compile();
    const { changes } = await this.#guard(() => this.#database.prepare(sql).run(...parameters), {
      mayUseReserve: true,
    });
    return changes > 0;
  }

  createBenchmark(record: BenchmarkRecord, key?: RequestKey): Promise<KeyUse | undefined> {
    return this.#transaction(() => {
      const before = this.#usedBefore('benchmark', record.id, key);
      if (before === undefined) this.#run(createdBenchmark(sqlite, record));
      return before;
    });
  }

  async changeBenchmark(id: string, change: BenchmarkChange): Promise<void> {
    await this.#transaction(() => {
      const changed = changedBenchmark(this.#first(benchmarkOf(sqlite, id)), change);
      if (changed) this.#run(savedBenchmark(sqlite, changed));
    });
  }

  async addBenchmarkResult(id: string, result: BenchmarkResult, evidence: BenchmarkEvidence): Promise<void> {
    await this.#transaction(() => this.#run(addedResult(sqlite, id, { result, evidence })));
  }

  async holdBenchmark(id: string, hold: BenchmarkHold): Promise<boolean> {
    const { sql, parameters } = heldBenchmark(sqlite, id, hold).compile();
    const { changes } = await this.#guard(() => this.#database.prepare(sql).run(...parameters));
    return changes > 0;
  }

  async releaseBenchmark(id: string, worker: string): Promise<void> {
    await this.#transaction(() => this.#run(releasedBenchmark(sqlite, id, worker)));
  }

  async deleteBenchmark(id: string): Promise<boolean> {
    const { sql, parameters } = sqlite.deleteFrom('benchmarks').where('id', '=', id).compile();
    const { changes } = await this.#guard(() => this.#database.prepare(sql).run(...parameters), {
      mayUseReserve: true,
    });
    return changes > 0;
  }

  async deleteRun(runId: string): Promise<void> {
    await this.#transaction(
      () => {
        if (this.#lease(runId).phase !== 'ended') throw new RunNotEndedError(runId);
        this.#run(
          sqlite
            .updateTable('shares')
            .set({ revoked_at: steadyNow() })
            .where('run_id', '=', runId)
            .where('revoked_at', 'is', null),
        );
        this.#run(sqlite.deleteFrom('runs').where('id', '=', runId));
      },
      { mayUseReserve: true },
    );
    this.#compactor.soon();
  }

  async annotate(runIds: readonly string[], change: AnnotationChange): Promise<void> {
    await this.#transaction(() => {
      for (const runId of runIds) {
        const row = this.#first(
          selectRuns(sqlite).where('runs.id', '=', runId).where('runs.epoch', '>', IMPORTING),
        );
        if (row === undefined) throw new RunNotFoundError(runId);
        for (const statement of annotateStatements(sqlite, runId, extrasFromRow.parse(row), change)) {
          this.#run(statement);
        }
      }
    });
  }

  async hideRuns(runIds: readonly string[], at: number): Promise<void> {
    await this.#transaction(
      () => {
        for (const runId of runIds) {
          if (this.#lease(runId).phase !== 'ended') throw new RunNotEndedError(runId);
          for (const statement of hideStatements(sqlite, runId, at)) this.#run(statement);
        }
      },
      { mayUseReserve: true },
    );
  }

  restoreRuns(runIds: readonly string[]): Promise<string[]> {
    return this.#changedRuns(restoreStatement(sqlite, runIds));
  }

  finalizeDeletions(before: number): Promise<string[]> {
    return this.#changedRuns(finalDeletions(sqlite, before));
  }

  async purgeRuns(before: number): Promise<string[]> {
    const purged: string[] = [];
    try {
      for (let hasMore = true; hasMore && this.#database.open; await turn()) {
        const slice = await this.#transaction(() => this.#deleted.removeSlice(before), {
          mayUseReserve: true,
        });
        purged.push(...slice.gone);
        hasMore = slice.hasMore;
      }
    } finally {
      this.#compactor.soon();
    }
    return purged;
  }

  async #changedRuns(statement: Compilable): Promise<string[]> {
    const { sql, parameters } = statement.compile();
    const rows = await this.#guard(() => this.#database.prepare(sql).all(...parameters), {
      mayUseReserve: true,
    });
    return rows.map((row) => runIdRow.parse(row).id);
  }

  async addShare(share: ShareRecord): Promise<void> {
    await this.#transaction(() => {
      this.#lease(share.run_id);
      this.#run(sqlite.insertInto('shares').values(toShareRow(share)));
    });
  }

  async revokeShare(shareId: string, at: number): Promise<boolean> {
    const row = await this.#guard(
      () =>
        this.#first(
          sqlite
            .updateTable('shares')
            .set(({ fn }) => ({ revoked_at: fn.coalesce('revoked_at', sql.lit(at)) }))
            .where('id', '=', shareId)
            .returning('id'),
        ),
      { mayUseReserve: true },
    );
    return row !== undefined;
  }

  async countShareView(shareId: string, at: number): Promise<void> {
    await this.#guard(() =>
      this.#run(
        sqlite
          .updateTable('shares')
          .set(({ eb }) => ({ views: eb('views', '+', 1), last_viewed_at: at }))
          .where('id', '=', shareId),
      ),
    );
  }

  async addSignIn(signIn: SignInRecord, limit: number): Promise<void> {
    await this.#transaction(
      () => {
        this.#run(sqlite.insertInto('sign_ins').values(signIn));
        this.#run(sqlite.deleteFrom('sign_ins').where('id', 'not in', recentSignIns(sqlite, limit)));
      },
      { mayUseReserve: true },
    );
  }

  async touchSignIn(id: string, at: number): Promise<void> {
    await this.#guard(() =>
      this.#run(sqlite.updateTable('sign_ins').set({ last_seen_at: at }).where('id', '=', id)),
    );
  }

  async deleteSignIns(ids?: readonly string[]): Promise<string[]> {
    const { sql, parameters } = deletedSignIns(sqlite, ids).compile();
    const rows = await this.#guard(() => this.#database.prepare(sql).all(...parameters), {
      mayUseReserve: true,
    });
    return rows.map((row) => signInId.parse(row).id);
  }

  async revokeStandingApprovals(ids?: readonly string[]): Promise<string[]> {
    const { sql, parameters } = revokedApprovals(sqlite, ids).compile();
    const rows = await this.#guard(() => this.#database.prepare(sql).all(...parameters), {
      mayUseReserve: true,
    });
    return rows.map((row) => standingApprovalId.parse(row).id);
  }

  async close(): Promise<void> {
    this.#index.close();
    this.#imports.close();
    this.#compactor.close();
    this.#database.close();
    this.#room.reclaim(); // the journal's space has just been freed
    this.#lock.release();
  }

  #lease(runId: string): z.infer<typeof lease> {
    const row = this.#selectLease.get(runId);
    if (row === undefined) throw new RunNotFoundError(runId);
    return lease.parse(row);
  }

  /** Whether the run exists, even if it is still being imported. */
  #requireRow(runId: string): void {
    const row = this.#first(sqlite.selectFrom('runs').select('id').where('id', '=', runId));
    if (row === undefined) throw new RunNotFoundError(runId);
  }

  #familyOf(runId: string): string | undefined {
    const row = this.#first(sqlite.selectFrom('runs').select('family').where('id', '=', runId));
    return z.object({ family: z.string() }).optional().parse(row)?.family;
  }

  #insertRun(row: RunsTable): void {
    const columns = Object.keys(row);
    this.#addRun ??= this.#database.prepare(
      `insert into runs (${columns.join(', ')}) values (${columns.map((column) => `@${column}`).join(', ')})`,
    );
    this.#addRun.run(row);
  }

  #insertEvents(runId: string, rows: readonly EventRow[]): void {
    for (const { seq, type, at, body } of rows) this.#insertEvent.run(runId, seq, type, at, body);
  }

  #first(query: Compilable): unknown {
    const { sql, parameters } = query.compile();
    return this.#database.prepare(sql).get(...parameters);
  }

  #run(query: Compilable): void {
    const { sql, parameters } = query.compile();
    this.#database.prepare(sql).run(...parameters);
  }

  async fullDisk(): ReturnType<RunStore['fullDisk']> {
    const refusal = this.#room.refusal();
    return refusal && { message: refusal.message, hint: refusal.hint };
  }

  /** Called when the disk has become full. */
  onFullDisk(listener: () => void): void {
    this.#room.onFull = listener;
  }

  #transaction<T>(work: () => T, options?: WriteOptions): Promise<T> {
    return this.#guard(() => this.#database.transaction(work).immediate(), options);
  }

  #reserveUsedUp(cause: StorageFullError): StorageFullError {
    return new StorageFullError(this.path, {
      freeBytes: freeBytes(dirname(this.path)),
      hint: 'The reserve that deletions need is used up: free 1 MB on that disk, then delete runs.',
      cause,
    });
  }

  async #guard<T>(work: () => T, { mayUseReserve = false }: WriteOptions = {}): Promise<T> {
    const refusal = mayUseReserve ? undefined : this.#room.refusal();
    if (refusal) throw refusal;
    for (;;) {
      try {
        return await whenFree(work, { path: this.path, patienceMs: this.#patienceMs });
      } catch (error) {
        if (!(error instanceof StorageFullError)) throw error;
        this.#room.ranOut();
        if (!mayUseReserve) throw error;
        // Checkpoints the journal into the database, so that its space can be reused.
        checkpoint(this.#database);
        if (!this.#room.giveRoom()) throw this.#reserveUsedUp(error);
      }
    }
  }
}

/** An append to one of several runs. */
export interface RunAppend {
  runId: string;
  request: AppendRequest;
}

function endsRun({ request }: RunAppend): boolean {
  return request.rows.some(({ type }) => type === 'run.ended');
}

interface WriteOptions {
  /** Writes that must succeed even on a full disk. */
  mayUseReserve?: boolean;
}

function noRoomToBegin(dataDir: string, cause: StorageFullError): StorageFullError {
  return new StorageFullError(dataDir, {
    freeBytes: freeBytes(dataDir),
    hint: 'Free some space there, or set LOUPE_DATA_DIR to a folder on another disk.',
    cause,
  });
}
