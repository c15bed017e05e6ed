import { isDeepStrictEqual } from 'node:util';
import { type Compilable, type Expression, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { BenchmarkEvidence, BenchmarkRecord, BenchmarkResult } from '../../api/benchmark.ts';
import type { ExperimentItem, ExperimentSummary } from '../../api/experiment.ts';
import type { ModelCheck } from '../../api/model-check.ts';
import type { PresetRecord } from '../../api/preset.ts';
import type { AnnotationChange } from '../../api/run-annotations.ts';
import type { Found } from '../../api/search.ts';
import type { ShareRecord } from '../../api/share.ts';
import type { SignInRecord } from '../../api/sign-in.ts';
import type { SuiteRecord } from '../../api/suite.ts';
import { AppError, errorParts } from '../../errors/app-error.ts';
import { forkedLog } from '../../events/forked-log.ts';
import { type RunEvent, runEvent } from '../../events/registry.ts';
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
import { bodyFromRow } from '../body-row.ts';
import type { EventRow } from '../event-row.ts';
import { savedExperiment } from '../experiment-statements.ts';
import type { CreatedExperiment } from '../experiment-store.ts';
import { copiedImages, keptImage } from '../image-statements.ts';
import type { StoredImage } from '../image-store.ts';
import { type FileRun, importInSlices } from '../import-run.ts';
import { type LogGrowth, seqBefore } from '../log-growth.ts';
import type { PriceChange } from '../model-store.ts';
import { beginningOf, createLog, type LogBeginning, type RunToInsert } from '../new-log.ts';
import { changedPreset, createdPreset, presetOf, updatedPreset } from '../preset-statements.ts';
import type { PresetChange } from '../preset-store.ts';
import { changedPrice, isPrice, priceOf } from '../price-statements.ts';
import type { KeyedKind, KeyUse, RequestKey } from '../request-key.ts';
import { keptKey, keyUseFromRow, keyUseQuery } from '../request-key-statements.ts';
import { selectRuns } from '../run-list-query.ts';
import { checkRow, extrasFromRow, newRow, toShareRow } from '../run-row.ts';
import {
  type AppendRequest,
  type CreatedLog,
  type EventRange,
  type EventText,
  type NewRunLog,
  type SearchPage,
  SeqConflictError,
  StaleEpochError,
  type TextRange,
} from '../run-store.ts';
import { DELETED, IMPORTING } from '../schema.ts';
import type { SharedRunStore } from '../shared-run-store.ts';
import { deletedSignIns, recentSignIns } from '../sign-in-statements.ts';
import { eventFromRow, SqlReader, textFromRow } from '../sql-reader.ts';
import { BUSY_PATIENCE_MS } from '../sqlite/when-free.ts';
import { revokedApprovals } from '../standing-approval-statements.ts';
import type { Store } from '../store.ts';
import {
  isStoreBusy,
  missingEvent,
  RunEndedError,
  RunMayExistError,
  RunNotEndedError,
  RunNotFoundError,
  StorageFullError,
} from '../store-errors.ts';
import { hashOf, isChanged, savedCases, savedSuite } from '../suite-statements.ts';
import type { SavedSuite, SuiteChange } from '../suite-store.ts';
import { compiled, PostgresDatabase, type Run, type Statement } from './postgres-database.ts';
import { damagedDatabase, openingError, takesNoWrites } from './postgres-errors.ts';
import { PostgresImports } from './postgres-imports.ts';
import { PostgresLeases, positionOf } from './postgres-leases.ts';
import { migratePostgres } from './postgres-migrations.ts';
import { PostgresReserve } from './postgres-reserve.ts';
import { postgres } from './postgres-schema.ts';
import { PostgresSearch } from './postgres-search.ts';
import { appendStatement, eventsAfter, type Fence, insertEvents, textsAfter } from './postgres-statements.ts';
import { jsonIn } from './postgres-text.ts';
import { PostgresWatch } from './postgres-watch.ts';

export interface PostgresStoreOptions {
  /** How long a claim and a renewal last, in milliseconds. Default: 30,000. */
  leaseMs?: number;
  /**
   * How long an operation waits for a database that does not answer before it fails with `store_busy`, in milliseconds.
   * Default: 5000.
   */
  patienceMs?: number;
  /**
   * How long a statement may go without an answer before its connection counts as lost, in milliseconds. Default:
   * 70,000.
   */
  answerMs?: number;
  /** Polling interval in milliseconds, in case a notification was lost. Default: 1000. */
  lookMs?: number;
}

const DEFAULT_LEASE_MS = 30_000;
const LOOK_MS = 1000;

/**
 * The store that several processes and machines share. An append is one statement: the fence, the events, the summary
 * and the counts are written together, and are on disk when its promise resolves.
 */
export class PostgresRunStore extends SqlReader implements Store, SharedRunStore {
  readonly path: string;
  readonly leaseMs: number;
  readonly claim: Store['claim'] = (...asked) => this.#leases.claim(...asked);
  readonly claimFree: SharedRunStore['claimFree'] = (...asked) => this.#leases.claimFree(...asked);
  readonly free: SharedRunStore['free'] = (...asked) => this.#leases.free(...asked);
  readonly renew: SharedRunStore['renew'] = (...asked) => this.#leases.renew(...asked);
  readonly release: SharedRunStore['release'] = (...asked) => this.#leases.release(...asked);
  readonly yieldSlot: SharedRunStore['yieldSlot'] = (...asked) => this.#leases.yieldSlot(...asked);
  readonly retakeSlot: SharedRunStore['retakeSlot'] = (...asked) => this.#leases.retakeSlot(...asked);
  readonly holdSlot: SharedRunStore['holdSlot'] = (...asked) => this.#leases.holdSlot(...asked);
  readonly dropSlot: SharedRunStore['dropSlot'] = (...asked) => this.#leases.dropSlot(...asked);
  readonly holdExperiment: SharedRunStore['holdExperiment'] = (...asked) =>
    this.#leases.holdExperiment(...asked);
  readonly keepExperiment: SharedRunStore['keepExperiment'] = (...asked) =>
    this.#leases.keepExperiment(...asked);
  readonly releaseExperiment: SharedRunStore['releaseExperiment'] = (...asked) =>
    this.#leases.releaseExperiment(...asked);
  /** Resolves once a later version of Loupe has migrated the database: this process must stop. */
  readonly outdated: Promise<AppError>;
  readonly #database: PostgresDatabase;
  readonly #run: Run;
  readonly #leases: PostgresLeases;
  readonly #watch: PostgresWatch;
  readonly #search: PostgresSearch;
  readonly imports: PostgresImports;
  readonly #reserve: PostgresReserve;
  /** The error of the last write that found no space. */
  #full: StorageFullError | undefined;
  readonly #othersListeners = new Set<(runId: string, lastSeq: number) => void>();
  readonly #broadcastListeners = new Set<(message: string) => void>();
  /** Appends of workers with an unknown outcome because the connection was lost. */
  readonly #unanswered: UnansweredAppends = new Map();

  private constructor(database: PostgresDatabase, options: PostgresStoreOptions) {
    super(postgres);
    this.#database = database;
    this.#run = database.runRepeatable;
    this.leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#leases = new PostgresLeases(database, this.leaseMs);
    this.path = database.place;
    this.#search = new PostgresSearch(database);
    this.imports = new PostgresImports({
      database,
      leaseMs: this.leaseMs,
      published: () => this.#search.soon(),
    });
    this.#reserve = new PostgresReserve(database);
    const outdated = Promise.withResolvers<AppError>();
    this.outdated = outdated.promise;
    this.#watch = new PostgresWatch({
      onNewer: outdated.resolve,
      database,
      lookMs: options.lookMs ?? LOOK_MS,
      onChange: (runId, lastSeq) => announce(this.#othersListeners, runId, lastSeq),
      onBroadcast: (message) => {
        for (const listener of this.#broadcastListeners) listener(message);
      },
    });
  }

  /**
   * Opens the database, creates missing tables, and migrates older ones.
   *
   * @param url postgres://user:password@host:port/database
   * @throws {AppError} `store_unreachable`, `store_too_new`, `store_encoding`, `store_not_writable`, `storage_full`; none shows
   *   the password
   */
  static async open(url: string, options: PostgresStoreOptions = {}): Promise<PostgresRunStore> {
    const database = new PostgresDatabase(url, {
      patienceMs: options.patienceMs ?? BUSY_PATIENCE_MS,
      answerMs: options.answerMs,
    });
    const store = new PostgresRunStore(database, options);
    try {
      await migratePostgres(database);
      await store.#reserve.fill();
      await store.imports.start();
      await store.#watch.start();
      store.#search.soon();
      return store;
    } catch (error) {
      await store.close();
      throw openingError(error, database.place);
    }
  }

  create(run: NewRunLog): Promise<CreatedLog> {
    return createLog(run, ({ beginning, ...place }) =>
      this.#make({ id: beginning.summary.id, ...place }, async () => beginning),
    );
  }

  async fork(run: Parameters<Store['fork']>[0]): Promise<{ runId: string; created: boolean }> {
    const { id, config, parent, events, idempotencyKey, folder } = run;
    const beginFork = async (query: Run, at: number) => {
      // It may grow in the meantime, but must not be deleted before its events and images are copied.
      await query({ sql: 'select from runs where id = $1 for key share', parameters: [parent.run_id] });
      const found = await positionOf(query, parent.run_id);
      if (!found) throw new RunNotFoundError(parent.run_id);
      if (parent.seq > found.last_seq) throw missingEvent(parent.run_id, parent.seq);
      const rows = await query(eventsAfter(parent.run_id, { afterSeq: 0, limit: parent.seq }));
      const prefix = this.#eventsOf(rows);
      const log = forkedLog({ id, config, parent, prefix, events, at });
      return beginningOf(
        id,
        log.map((event) => runEvent.parse(event)),
      );
    };
    const runId = await this.#make({ id, idempotencyKey, folder, familyFrom: parent.run_id }, beginFork);
    return { runId, created: runId === id };
  }

  importRun(run: FileRun): Promise<{ runId: string; created: boolean }> {
    return importInSlices(this.imports, run, (...asked) => this.keepImages(...asked));
  }

  /** Inserts a run with the beginning of its log, unless its key has already created one. Returns the ID of either. */
  async #make(
    run: Omit<RunToInsert, 'beginning'> & { id: string; familyFrom?: string },
    begin: (query: Run, at: number) => Promise<LogBeginning>,
  ): Promise<string> {
    const { id, idempotencyKey: key, worker, folder, familyFrom, images = [] } = run;
    const at = steadyNow();
    let lastSeq = 0;
    let isInserted = false;
    const insert = async (query: Run, tries: number): Promise<string> => {
      const first = key === undefined ? undefined : await firstOf(query, key);
      if (first !== undefined) return first;
      const { rows, summary } = await begin(query, at);
      lastSeq = summary.last_seq;
      // An earlier attempt may have been stored, and its answer lost.
      if (tries > 0 && (await positionOf(query, id))) return id;
      const family = familyFrom === undefined ? run.family : await familyOfRun(query, familyFrom);
      const row = newRow(summary, { worker, family, folder });
      await query(compiled(postgres.insertInto('runs').values(row)));
      await query(insertEvents(id, rows));
      for (const image of images) await query(compiled(keptImage(postgres, id, image)));
      if (familyFrom !== undefined) await query(compiled(copiedImages(postgres, familyFrom, id)));
      if (key !== undefined) {
        const used = { key, run_id: id, created_at: at };
        await query(compiled(postgres.insertInto('idempotency_keys').values(used)));
      }
      isInserted = true;
      return id;
    };
    const making = this.#database
      .whenAnswered(async (tries) => {
        try {
          return await this.#database.transaction((query) => insert(query, tries));
        } catch (error) {
          // Another request with the same key was slightly faster.
          const first = key !== undefined && isDuplicate(error) ? await firstOf(this.#run, key) : undefined;
          if (first === undefined) throw error;
          return first;
        }
      })
      .catch((error: unknown) => {
        // The answer to a commit was lost.
        throw isInserted && isStoreBusy(error) ? new RunMayExistError(id, error) : error;
      });
    const runId = await this.#noticeFull(making);
    if (runId === id) this.#committed(id, lastSeq);
    return runId;
  }

  async append(runId: string, { epoch, ...growth }: AppendRequest): Promise<void> {
    const append = () => this.#noticeFull(this.#appendAs(runId, { epoch }, growth));
    if (growth.rows.some(({ type }) => type === 'run.ended')) return this.#withReserve(append);
    return append();
  }

  async fullDisk(): ReturnType<Store['fullDisk']> {
    if (this.#full && (await this.#reserve.hasRoom())) this.#full = undefined;
    return this.#full && { message: this.#full.message, hint: this.#full.hint };
  }

  /** Runs a write that must also succeed on a full disk, using the reserve. */
  async #withReserve<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error;
      await this.#reserve.release();
      return work();
    }
  }

  async #noticeFull<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof StorageFullError) this.#full = error;
      throw error;
    }
  }

  async intervene(runId: string, growth: LogGrowth): Promise<void> {
    try {
      await this.#appendAs(runId, 'by a person', growth);
    } catch (error) {
      if (!isStoreBusy(error)) throw error;
      // A message that is sent again would reach the model twice.
      const hint = `This may have been stored. Look at run ${runId} before you try again.`;
      throw new AppError({ ...errorParts(error), hint, cause: error });
    }
  }

  async read(runId: string, { maxChars, ...range }: EventRange): Promise<RunEvent[]> {
    const rows = await this.#run(
      maxChars === undefined ? eventsAfter(runId, range) : textsAfter(runId, { ...range, maxChars }),
    );
    return this.#eventsOf(rows);
  }

  async readTexts(runId: string, range: TextRange): Promise<EventText[]> {
    const rows = await this.#run(textsAfter(runId, range));
    return rows.map((row) => textFromRow(row, (where, cause) => damagedDatabase(this.path, cause, where)));
  }

  async keepImages(runId: string, images: readonly StoredImage[]): Promise<void> {
    const writing = this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const [row] = await run({ sql: 'select id from runs where id = $1 for share', parameters: [runId] });
        if (!row) throw new RunNotFoundError(runId);
        for (const image of images) await run(compiled(keptImage(postgres, runId, image)));
      }),
    );
    await this.#noticeFull(writing);
  }

  async beginRecovery(runId: string): Promise<number> {
    const counted = z.object({ recoveries: z.number() });
    const [row] = await this.#run({
      sql: 'select recoveries from runs where id = $1',
      parameters: [runId],
    });
    if (!row) throw new RunNotFoundError(runId);
    // Only the worker that holds the run updates the count. It stores an absolute number, because a statement
    // whose answer is lost runs twice.
    const recoveries = counted.parse(row).recoveries + 1;
    await this.#run(compiled(postgres.updateTable('runs').set({ recoveries }).where('id', '=', runId)));
    return recoveries;
  }

  async settleRecovery(runId: string): Promise<void> {
    await this.#run(compiled(postgres.updateTable('runs').set({ recoveries: 0 }).where('id', '=', runId)));
  }

  async saveModelCheck(check: ModelCheck): Promise<void> {
    const { model, digest, ...values } = checkRow(check);
    const { ended_at, summary } = values;
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run(
          compiled(
            postgres
              .insertInto('model_checks')
              .values({ model, digest, ...values })
              .onConflict((conflict) => conflict.columns(['model', 'digest']).doUpdateSet(values)),
          ),
        );
        await run(
          compiled(
            postgres
              .insertInto('model_check_history')
              .values({ model, digest, ended_at, summary })
              .onConflict((conflict) => conflict.doNothing()),
          ),
        );
      }),
    );
  }

  async savePrice(model: string, change: PriceChange): Promise<'saved' | 'changed'> {
    return this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const statement = changedPrice(postgres, model, change);
        if (statement) await run(compiled(statement));
        const [row] = await run(compiled(priceOf(postgres, model)));
        return isPrice(row, change.price) ? 'saved' : 'changed';
      }),
    );
  }

  async createPreset(preset: PresetRecord): Promise<boolean> {
    try {
      await this.#run(compiled(createdPreset(postgres, preset)));
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  async updatePreset(id: string, change: PresetChange): Promise<PresetRecord | 'name_taken' | 'missing'> {
    try {
      return await this.#database.whenAnswered(() =>
        this.#database.transaction(async (run) => {
          const [row] = await run(compiled(presetOf(postgres, id).forUpdate()));
          const changed = changedPreset(row, change);
          if (changed) await run(compiled(updatedPreset(postgres, changed)));
          return changed ?? 'missing';
        }),
      );
    } catch (error) {
      if (isDuplicate(error)) return 'name_taken';
      throw error;
    }
  }

  async deletePreset(id: string): Promise<boolean> {
    return this.#deleteOne('presets', id);
  }

  async saveSuite(suite: SuiteRecord, change: SuiteChange): Promise<SavedSuite> {
    try {
      return await this.#database.whenAnswered(() =>
        this.#database.transaction(async (run) => {
          const [stored] = await run(compiled(hashOf(postgres, suite.id).forUpdate()));
          if (isChanged(stored, suite, change.base)) return 'changed';
          for (const statement of savedSuite(postgres, suite, change.cases)) await run(compiled(statement));
          return 'saved';
        }),
      );
    } catch (error) {
      if (isDuplicate(error)) return 'name_taken';
      throw error;
    }
  }

  async deleteSuite(id: string): Promise<boolean> {
    return this.#withReserve(() => this.#deleteOne('suites', id));
  }

  createBenchmark(record: BenchmarkRecord, key?: RequestKey): Promise<KeyUse | undefined> {
    const statements = [compiled(createdBenchmark(postgres, record))];
    return this.#create('benchmark', record.id, { key, statements });
  }

  async changeBenchmark(id: string, change: BenchmarkChange): Promise<void> {
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const [row] = await run(compiled(benchmarkOf(postgres, id).forUpdate()));
        const changed = changedBenchmark(row, change);
        if (changed) await run(compiled(savedBenchmark(postgres, changed)));
      }),
    );
  }

  async addBenchmarkResult(id: string, result: BenchmarkResult, evidence: BenchmarkEvidence): Promise<void> {
    const added = compiled(addedResult(postgres, id, { result, evidence }));
    await this.#database.whenAnswered(() => this.#run(added));
  }

  async holdBenchmark(id: string, hold: BenchmarkHold): Promise<boolean> {
    return (await this.#run(compiled(heldBenchmark(postgres, id, hold).returning('id')))).length > 0;
  }

  async releaseBenchmark(id: string, worker: string): Promise<void> {
    await this.#run(compiled(releasedBenchmark(postgres, id, worker)));
  }

  async deleteBenchmark(id: string): Promise<boolean> {
    return this.#withReserve(() => this.#deleteOne('benchmarks', id));
  }

  createExperiment({ summary, items, cases, key }: CreatedExperiment): Promise<KeyUse | undefined> {
    const statements = [
      ...savedExperiment(postgres, summary, items),
      ...(cases ? [savedCases(postgres, summary.id, cases)] : []),
    ].map(compiled);
    return this.#create('experiment', summary.id, { key, statements });
  }

  async saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void> {
    const statements = savedExperiment(postgres, summary, items).map(compiled);
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        for (const statement of statements) await run(statement);
      }),
    );
  }

  /** Runs the statements that store something new, unless its key was used before. Returns that use. */
  #create(
    kind: KeyedKind,
    id: string,
    { key, statements }: { key: RequestKey | undefined; statements: readonly Statement[] },
  ): Promise<KeyUse | undefined> {
    return this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        if (key !== undefined) {
          // Waits for another request with this key that is being stored.
          const kept = await run(compiled(keptKey(postgres, { ...key, kind, id }).returning('id')));
          if (kept.length === 0) {
            const [row] = await run(compiled(keyUseQuery(postgres, kind, key.key)));
            const before = keyUseFromRow(row);
            // An earlier attempt stored it, and its answer was lost.
            return before?.id === id ? undefined : before;
          }
        }
        for (const statement of statements) await run(statement);
        return undefined;
      }),
    );
  }

  async deleteExperiment(id: string): Promise<boolean> {
    return this.#withReserve(() => this.#deleteOne('experiments', id));
  }

  /** Returns whether it existed. */
  #deleteOne(table: 'presets' | 'suites' | 'benchmarks' | 'experiments', id: string): Promise<boolean> {
    const gone = compiled(postgres.deleteFrom(table).where('id', '=', id).returning('id'));
    // An earlier attempt may have deleted it, but its answer was lost.
    return this.#database.whenAnswered(
      async (tries) => (await this.#database.run(gone)).length > 0 || tries > 0,
    );
  }

  /** Returns the IDs of what was deleted. */
  async #deletedAmong(ids: readonly string[] | undefined, statement: Statement): Promise<string[]> {
    const rows = await this.#database.whenAnswered(async (tries) => {
      const deleted = await this.#database.run(statement);
      // An earlier attempt may have deleted them, but its answer was lost.
      return deleted.length === 0 && tries > 0 && ids ? ids.map((id) => ({ id })) : deleted;
    });
    return rows.map((row) => runIdRow.parse(row).id);
  }

  async deleteRun(runId: string): Promise<void> {
    await this.#withReserve(() => this.#delete(runId));
    this.#watch.notifyDeleted(runId);
  }

  #delete(runId: string): Promise<void> {
    return this.#database.whenAnswered((tries) =>
      this.#database.transaction(async (run) => {
        const [row] = await run({
          sql: 'select phase from runs where id = $1 and epoch >= 0 for update',
          parameters: [runId],
        });
        if (!row) {
          // An earlier attempt deleted it, and its answer was lost.
          if (tries > 0) return;
          throw new RunNotFoundError(runId);
        }
        if (row.phase !== 'ended') throw new RunNotEndedError(runId);
        await run({
          sql: 'update shares set revoked_at = $2 where run_id = $1 and revoked_at is null',
          parameters: [runId, steadyNow()],
        });
        await run(compiled(postgres.deleteFrom('runs').where('id', '=', runId)));
      }),
    );
  }

  async annotate(runIds: readonly string[], change: AnnotationChange): Promise<void> {
    // In one order, so that no two requests wait for each other.
    const ordered = [...runIds].sort();
    const writing = this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        for (const runId of ordered) {
          // A statement that waited for a lock sees old annotations, so they are read by the next statement.
          await run({ sql: 'select from runs where id = $1 for update', parameters: [runId] });
          const [row] = await run(
            compiled(selectRuns(postgres).where('runs.id', '=', runId).where('runs.epoch', '>', IMPORTING)),
          );
          if (!row) throw new RunNotFoundError(runId);
          const statements = annotateStatements(postgres, runId, extrasFromRow.parse(row), change);
          for (const statement of statements) await run(compiled(statement));
        }
      }),
    );
    await this.#noticeFull(writing);
    for (const runId of runIds) this.#watch.notifyAnnotated(runId);
  }

  async hideRuns(runIds: readonly string[], at: number): Promise<void> {
    const ordered = [...runIds].sort();
    await this.#withReserve(() =>
      this.#database.whenAnswered((tries) =>
        this.#database.transaction(async (run) => {
          for (const runId of ordered) {
            const [row] = await run({
              sql: 'select phase, epoch from runs where id = $1 for update',
              parameters: [runId],
            });
            // An earlier attempt hid it, and its answer was lost.
            if (row?.epoch === DELETED && tries > 0) continue;
            if (!row || Number(row.epoch) < 0) throw new RunNotFoundError(runId);
            if (row.phase !== 'ended') throw new RunNotEndedError(runId);
            for (const statement of hideStatements(postgres, runId, at)) await run(compiled(statement));
          }
        }),
      ),
    );
    for (const runId of runIds) this.#watch.notifyDeleted(runId);
  }

  async restoreRuns(runIds: readonly string[]): Promise<string[]> {
    const restore = compiled(restoreStatement(postgres, runIds));
    const rows = await this.#withReserve(() =>
      this.#database.whenAnswered(async (tries) => {
        const restored = await this.#database.run(restore);
        if (restored.length > 0 || tries === 0) return restored;
        // An earlier attempt may have restored them, but its answer was lost.
        return this.#database.run({
          sql: `select id from runs where id = any($1::text[]) and epoch = 0 and worker is null and phase = 'ended'`,
          parameters: [runIds],
        });
      }),
    );
    const ids = rows.map((row) => runIdRow.parse(row).id);
    for (const id of ids) this.#watch.notifyAnnotated(id);
    return ids;
  }

  async finalizeDeletions(before: number): Promise<string[]> {
    const rows = await this.#withReserve(() => this.#run(compiled(finalDeletions(postgres, before))));
    return rows.map((row) => runIdRow.parse(row).id);
  }

  async purgeRuns(before: number): Promise<string[]> {
    const purged: string[] = [];
    for (;;) {
      // One at a time: all runs of an experiment could take longer than a statement may, and would never be removed.
      const [row] = await this.#withReserve(() => this.#run({ sql: PURGE_ONE, parameters: [before] }));
      if (row === undefined) return purged;
      purged.push(runIdRow.parse(row).id);
    }
  }

  async addShare(share: ShareRecord): Promise<void> {
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const [row] = await run({
          sql: 'select id from runs where id = $1 and epoch >= 0 for share',
          parameters: [share.run_id],
        });
        if (!row) throw new RunNotFoundError(share.run_id);
        const insert = postgres.insertInto('shares').values(toShareRow(share));
        await run(compiled(insert.onConflict((conflict) => conflict.column('id').doNothing())));
      }),
    );
  }

  async revokeShare(shareId: string, at: number): Promise<boolean> {
    const rows = await this.#withReserve(() =>
      this.#run({
        sql: 'update shares set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
        parameters: [shareId, at],
      }),
    );
    return rows.length > 0;
  }

  async countShareView(shareId: string, at: number): Promise<void> {
    await this.#database.whenAnswered((tries) =>
      this.#database.run({
        // An earlier attempt may have counted it, but its answer was lost.
        sql: `update shares set views = views + 1, last_viewed_at = $2
              where id = $1 and ($3 or last_viewed_at is distinct from $2)`,
        parameters: [shareId, at, tries === 0],
      }),
    );
  }

  async addSignIn(signIn: SignInRecord, limit: number): Promise<void> {
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const insert = postgres.insertInto('sign_ins').values(signIn);
        await run(compiled(insert.onConflict((conflict) => conflict.column('id').doNothing())));
        const recent = recentSignIns(postgres, limit);
        await run(compiled(postgres.deleteFrom('sign_ins').where('id', 'not in', recent)));
      }),
    );
  }

  async touchSignIn(id: string, at: number): Promise<void> {
    await this.#run(
      compiled(postgres.updateTable('sign_ins').set({ last_seen_at: at }).where('id', '=', id)),
    );
  }

  async deleteSignIns(ids?: readonly string[]): Promise<string[]> {
    return this.#deletedAmong(ids, compiled(deletedSignIns(postgres, ids)));
  }

  async revokeStandingApprovals(ids?: readonly string[]): Promise<string[]> {
    const revoke = compiled(revokedApprovals(postgres, ids));
    return this.#withReserve(() => this.#deletedAmong(ids, revoke));
  }

  async now(): Promise<number> {
    const [row] = await this.#run({
      sql: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
      parameters: [],
    });
    return z.object({ now: z.number() }).parse(row).now;
  }

  /** Whether the database currently answers, and why it takes no writes if it is a standby. */
  async condition(): Promise<{ answers: boolean; read_only?: { message: string; hint?: string } }> {
    const asked = { sql: `select current_setting('transaction_read_only') as read_only`, parameters: [] };
    const found = await this.#database.runOnNewIfLost(asked).catch(() => undefined);
    if (found?.[0]?.read_only !== 'on') return { answers: found !== undefined };
    const { message, hint } = takesNoWrites(this.path);
    return { answers: true, read_only: { message, hint } };
  }

  onOthersAppend(listener: (runId: string, lastSeq: number) => void): () => void {
    this.#othersListeners.add(listener);
    return () => this.#othersListeners.delete(listener);
  }

  broadcast(messages: readonly string[]): Promise<void> {
    return this.#watch.broadcast(messages);
  }

  onBroadcast(listener: (message: string) => void): () => void {
    this.#broadcastListeners.add(listener);
    return () => this.#broadcastListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#broadcastListeners.clear();
    this.#othersListeners.clear();
    this.imports.close();
    await this.#search.close();
    await this.#watch.close();
    await this.#database.close();
  }

  search(query: string, page: SearchPage): Promise<Found> {
    return this.#search.search(query, page);
  }

  protected experimentField(name: 'status' | 'running'): Expression<string | null> {
    return sql<string | null>`(${sql.raw(jsonIn('body'))} ->> ${name})`;
  }

  protected settingOfRun(name: 'workspace' | 'copied_from'): Expression<string | null> {
    return sql<string | null>`(${sql.raw(jsonIn('events.body'))} -> 'config' ->> ${name})`;
  }

  holds(text: Expression<string>, word: string): Expression<SqlBool> {
    return sql<SqlBool>`strpos(lower((${text}) collate "C"), ${word}) > 0`;
  }

  includes(text: Expression<string>, part: string): Expression<SqlBool> {
    return sql<SqlBool>`strpos(${text}, ${part}) > 0`;
  }

  bytewise(text: Expression<string>): Expression<string> {
    return sql<string>`(${text}) collate "C"`;
  }

  protected all(query: Compilable): Promise<unknown[]> {
    return this.#run(compiled(query));
  }

  #appendAs(runId: string, fence: Fence, growth: LogGrowth): Promise<void> {
    // A worker makes one append at a time, and its log also retries later. People may act concurrently.
    const unanswered: UnansweredAppends = fence === 'by a person' ? new Map() : this.#unanswered;
    return this.#database.whenAnswered(async () => {
      const rows = await this.#database.run(appendStatement(fence, growth)).catch((error: unknown) => {
        if (isStoreBusy(error)) unanswered.set(runId, growth.rows);
        throw error;
      });
      if (rows.length === 0) await this.#explainRefusal(runId, { fence, growth, unanswered });
      unanswered.delete(runId);
      this.#committed(runId, growth.summary.last_seq);
    });
  }

  /**
   * Explains why an append wrote nothing. Returns if an earlier attempt succeeded but its reply was lost.
   *
   * @throws {RunNotFoundError | StaleEpochError | SeqConflictError | RunEndedError}
   */
  async #explainRefusal(
    runId: string,
    {
      fence,
      growth: { rows },
      unanswered,
    }: { fence: Fence; growth: LogGrowth; unanswered: UnansweredAppends },
  ): Promise<void> {
    const found = await positionOf(this.#database.run, runId);
    if (!found) throw new RunNotFoundError(runId);
    // Epoch 0 is a run that no worker has claimed.
    if (fence !== 'by a person' && (fence.epoch < 1 || found.epoch !== fence.epoch)) {
      throw new StaleEpochError(runId, fence.epoch);
    }
    const isOwn = isDeepStrictEqual(unanswered.get(runId), rows) && (await this.#areStored(runId, rows));
    unanswered.delete(runId);
    if (isOwn) return;
    const expectedSeq = seqBefore(rows);
    if (found.last_seq !== expectedSeq) throw new SeqConflictError(runId, expectedSeq, found.last_seq);
    throw new RunEndedError(runId);
  }

  /** Whether these rows, whose append was not answered, are on disk. */
  async #areStored(runId: string, rows: readonly EventRow[]): Promise<boolean> {
    const stored = await this.#run(eventsAfter(runId, { afterSeq: seqBefore(rows), limit: rows.length }));
    const bodies = stored.map(bodyFromRow);
    return isDeepStrictEqual(
      bodies,
      rows.map(({ body }) => body),
    );
  }

  #eventsOf(rows: readonly unknown[]): RunEvent[] {
    return rows.map((row) => eventFromRow(row, (where, cause) => damagedDatabase(this.path, cause, where)));
  }

  #committed(runId: string, lastSeq: number): void {
    this.#watch.notify(runId, lastSeq);
    this.#search.soon();
  }
}

/** Deletes for good a run that was deleted before $1, which another process is not deleting. */
const PURGE_ONE = `
  delete from runs where id = (select id from runs where epoch = ${DELETED} and deleted_at < $1 limit 1 for update skip locked)
    returning id`;

/** The rows of appends, by run. */
type UnansweredAppends = Map<string, readonly EventRow[]>;

async function familyOfRun(run: Run, runId: string): Promise<string | undefined> {
  const [row] = await run(compiled(postgres.selectFrom('runs').select('family').where('id', '=', runId)));
  return row && z.object({ family: z.string() }).parse(row).family;
}

async function firstOf(run: Run, key: string): Promise<string | undefined> {
  const [row] = await run(
    compiled(postgres.selectFrom('idempotency_keys').select('run_id').where('key', '=', key)),
  );
  return row && z.object({ run_id: z.string() }).parse(row).run_id;
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

function announce(
  listeners: Iterable<(runId: string, lastSeq: number) => void>,
  runId: string,
  lastSeq: number,
): void {
  for (const listener of listeners) {
    try {
      listener(runId, lastSeq);
    } catch (error) {
      console.error('A listener of the store failed:', error); // the append is committed regardless
    }
  }
}
