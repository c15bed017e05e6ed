import { isDeepStrictEqual } from 'node:util';
import { type Compilable, type Expression, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import {
  type ExperimentItem,
  type ExperimentSummary,
  experimentItem,
  experimentSummary,
} from '../api/experiment.ts';
import type { ModelCheck } from '../api/model-check.ts';
import { countsOf } from '../api/model-reading.ts';
import type { Found } from '../api/search.ts';
import type { ShareRecord } from '../api/share.ts';
import { importedSummary, summarizeRun } from '../api/summarize-run.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { forkedLog } from '../events/forked-log.ts';
import { type NewEvent, type RunEvent, runEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { steadyNow } from '../util/steady-clock.ts';
import { compiled, PostgresDatabase, type Run, type Statement } from './postgres-database.ts';
import { damagedDatabase, openingError } from './postgres-errors.ts';
import { migratePostgres } from './postgres-migrations.ts';
import { PostgresReserve } from './postgres-reserve.ts';
import { postgres } from './postgres-schema.ts';
import { PostgresSearch } from './postgres-search.ts';
import { PostgresWatch } from './postgres-watch.ts';
import { checkRow, toRow, toShareRow } from './run-row.ts';
import {
  type AppendRequest,
  type EventRange,
  type EventText,
  type SearchPage,
  SeqConflictError,
  StaleEpochError,
  type TextRange,
} from './run-store.ts';
import type { FreeRun, HeldRun, SharedRunStore } from './shared-run-store.ts';
import { eventFromRow, SqlReader, textFromRow } from './sql-reader.ts';
import { StateCache } from './state-cache.ts';
import {
  isStoreBusy,
  missingEvent,
  RunEndedError,
  RunNotEndedError,
  RunNotFoundError,
  StorageFullError,
} from './store-errors.ts';
import { BUSY_PATIENCE_MS } from './when-free.ts';

export interface PostgresStoreOptions {
  /** For how long a claim and a renewal hold. Default: 30 000. */
  leaseMs?: number;
  /** How long an operation waits for a database that does not answer before it is `store_busy`. Default: 5000. */
  patienceMs?: number;
  /** How often to look for what a lost notification would have told. Default: 1000. */
  lookMs?: number;
}

const DEFAULT_LEASE_MS = 30_000;
const LOOK_MS = 1000;
const FREE_AT_A_TIME = 100;
/** Any number that no other program uses in this database: one process at a time counts places and takes a run. */
const CLAIM_LOCK = 0x10_09_e6;

/** Events of a file that are inserted at a time: a statement holds all of its rows in memory, here and there. */
const IMPORT_PAGE = 1000;

const position = z.object({ last_seq: z.number(), epoch: z.number(), phase: z.string() });
const claimed = z.object({ last_seq: z.number(), epoch: z.number() });
const freeRow = z.object({
  id: z.string(),
  model: z.string(),
  stop_requested: z.number(),
  max_iterations: z.number(),
});

/** Whose append it is: the worker's that holds the run in this epoch, or a person's, who holds nothing. */
type Fence = { epoch: number } | 'by a person';

/**
 * The store that several processes and machines share. An append is one statement: the fence, the events, the summary
 * and the counts are written together, and are on disk when its promise resolves.
 */
export class PostgresRunStore extends SqlReader implements SharedRunStore {
  readonly path: string;
  readonly leaseMs: number;
  readonly #database: PostgresDatabase;
  readonly #watch: PostgresWatch;
  readonly #search: PostgresSearch;
  readonly #reserve: PostgresReserve;
  readonly #states = new StateCache(() => []);
  readonly #listeners = new Set<(runId: string, lastSeq: number) => void>();
  readonly #othersListeners = new Set<(runId: string, lastSeq: number) => void>();
  readonly #saidListeners = new Set<(message: string) => void>();
  /** Appends whose answer was lost with their connection, by run: they stand, or they do not. */
  readonly #unanswered = new Map<string, unknown[]>();

  private constructor(database: PostgresDatabase, options: PostgresStoreOptions) {
    super(postgres);
    this.#database = database;
    this.path = database.place;
    this.#search = new PostgresSearch(database);
    this.#reserve = new PostgresReserve(database);
    this.leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#watch = new PostgresWatch({
      database,
      lookMs: options.lookMs ?? LOOK_MS,
      onChange: (runId, lastSeq) => announce(this.#othersListeners, runId, lastSeq),
      onSaid: (message) => {
        for (const listener of this.#saidListeners) listener(message);
      },
    });
  }

  /**
   * Opens the database, makes the tables where there are none, and brings them up to date.
   *
   * @param url postgres://user:password@host:port/database
   * @throws {AppError} `store_unreachable`, `store_too_new`, `store_not_writable`, `storage_full`; none shows the password
   */
  static async open(url: string, options: PostgresStoreOptions = {}): Promise<PostgresRunStore> {
    const database = new PostgresDatabase(url, { patienceMs: options.patienceMs ?? BUSY_PATIENCE_MS });
    const store = new PostgresRunStore(database, options);
    try {
      await migratePostgres(database);
      await store.#reserve.fill();
      await store.#watch.start();
      store.#search.soon();
      return store;
    } catch (error) {
      await store.close();
      throw openingError(error, database.place);
    }
  }

  async create(run: {
    id: string;
    config: RunConfig;
    parent?: { run_id: string; seq: number };
    idempotencyKey?: string;
  }): Promise<{ runId: string; created: boolean }> {
    const { id, config, parent, idempotencyKey } = run;
    return this.#make({ id, key: idempotencyKey }, async (_, at) => [
      complete({ type: 'run.created', config, parent }, { run_id: id, seq: 1, at }),
    ]);
  }

  async fork(run: Parameters<SharedRunStore['fork']>[0]): Promise<{ runId: string; created: boolean }> {
    const { id, config, parent, events, idempotencyKey } = run;
    return this.#make({ id, key: idempotencyKey }, async (query, at) => {
      const found = await positionOf(query, parent.run_id);
      if (!found) throw new RunNotFoundError(parent.run_id);
      if (parent.seq > found.last_seq) throw missingEvent(parent.run_id, parent.seq);
      const rows = await query(eventsAfter(parent.run_id, { afterSeq: 0, limit: parent.seq }));
      const prefix = this.#eventsOf(rows);
      return forkedLog({ id, config, parent, prefix, events, at }).map((event) => runEvent.parse(event));
    });
  }

  async importRun(
    run: Parameters<SharedRunStore['importRun']>[0],
  ): Promise<{ runId: string; created: boolean }> {
    const state = foldAll(emptyRunState(run.events[0]?.run_id ?? ''), run.events);
    const { runId } = state;
    const row = {
      ...toRow(importedSummary(state, run.importedAt)),
      epoch: 0,
      worker: null,
      recoveries: 0,
      indexed_seq: 0,
    };
    return this.#database.whenAnswered(async () =>
      this.#database.transaction(async (query) => {
        const made = await query(
          compiled(
            postgres
              .insertInto('runs')
              .values(row)
              .onConflict((conflict) => conflict.doNothing())
              .returning('id'),
          ),
        );
        if (made.length === 0) return { runId, created: false };
        for (let from = 0; from < run.events.length; from += IMPORT_PAGE) {
          await query(insertEvents(runId, run.events.slice(from, from + IMPORT_PAGE)));
        }
        return { runId, created: true };
      }),
    );
  }

  /** Makes a run with the beginning of its log, unless its key has made one. */
  async #make(
    { id, key }: { id: string; key: string | undefined },
    begin: (query: Run, at: number) => Promise<readonly RunEvent[]>,
  ): Promise<{ runId: string; created: boolean }> {
    const at = steadyNow();
    let state: RunState | undefined;
    const insert = async (query: Run, tries: number): Promise<string> => {
      const first = key === undefined ? undefined : await firstOf(query, key);
      if (first !== undefined) return first;
      const events = await begin(query, at);
      state = foldAll(emptyRunState(id), events);
      // An earlier try may have been stored, and its answer lost.
      if (tries > 0 && (await positionOf(query, id))) return id;
      const row = { ...toRow(summarizeRun(state)), epoch: 0, worker: null, recoveries: 0, indexed_seq: 0 };
      await query(compiled(postgres.insertInto('runs').values(row)));
      await query(insertEvents(id, events));
      if (key !== undefined) {
        const used = { key, run_id: id, created_at: at };
        await query(compiled(postgres.insertInto('idempotency_keys').values(used)));
      }
      return id;
    };
    const runId = await this.#database.whenAnswered(async (tries) => {
      try {
        return await this.#database.transaction((query) => insert(query, tries));
      } catch (error) {
        // Another request with the same key was quicker by a moment.
        const first = key !== undefined && isDuplicate(error) ? await firstOf(this.#run, key) : undefined;
        if (first === undefined) throw error;
        return first;
      }
    });
    if (runId === id && state) this.#committed(state);
    return { runId, created: runId === id };
  }

  async claim(runId: string, worker: string): Promise<{ epoch: number; lastSeq: number }> {
    const [row] = await this.#run({
      sql: `with taken as (update runs set epoch = epoch + 1, worker = $2 where id = $1 and phase <> 'ended'
                           returning id, epoch, last_seq),
                 ${LEASE_TAKEN}
            select epoch, last_seq from taken`,
      parameters: [runId, worker, '', this.leaseMs],
    });
    if (row) return toClaim(row);
    if (!(await positionOf(this.#run, runId))) throw new RunNotFoundError(runId);
    throw new RunEndedError(runId);
  }

  async claimFree(
    runId: string,
    { worker, host, places }: { worker: string; host: string; places: number },
  ): Promise<{ epoch: number; lastSeq: number } | undefined> {
    const [row] = await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [CLAIM_LOCK] });
        return run({
          sql: `with free as (select runs.id from runs left join leases on leases.run_id = runs.id
                  where runs.id = $1 and phase <> 'ended' and (until is null or until <= clock_timestamp())
                    and ${PLACES_TAKEN} < $5
                  for update of runs skip locked),
                taken as (update runs set epoch = epoch + 1, worker = $2 from free where runs.id = free.id
                          returning runs.id, epoch, last_seq),
                ${LEASE_TAKEN}
                select epoch, last_seq from taken`,
          parameters: [runId, worker, host, this.leaseMs, places],
        });
      }),
    );
    return row && toClaim(row);
  }

  async free(): Promise<FreeRun[]> {
    const rows = await this.#run({
      name: 'loupe_free',
      sql: `select id, model, stop_requested, max_iterations from runs left join leases on leases.run_id = runs.id
            where phase <> 'ended' and (until is null or until <= clock_timestamp())
            order by coalesce(passed_at, created_at), id limit ${FREE_AT_A_TIME}`,
      parameters: [],
    });
    return rows.map((row) => {
      const { id, model, stop_requested, max_iterations } = freeRow.parse(row);
      return { id, model, stopRequested: stop_requested === 1, endless: max_iterations === 0 };
    });
  }

  async renew(held: readonly HeldRun[]): Promise<string[]> {
    if (held.length === 0) return [];
    const rows = await this.#run({
      name: 'loupe_renew',
      sql: `update leases set until = clock_timestamp() + $3 * interval '1 millisecond'
            from unnest($1::text[], $2::bigint[]) as held (id, held_epoch)
            where run_id = held.id and epoch = held_epoch returning run_id`,
      parameters: [held.map(({ runId }) => runId), held.map(({ epoch }) => epoch), this.leaseMs],
    });
    const renewed = new Set(rows.map(({ run_id }) => run_id));
    return held.flatMap(({ runId }) => (renewed.has(runId) ? [] : [runId]));
  }

  async leavePlace({ runId, epoch }: HeldRun): Promise<void> {
    await this.#run({
      sql: `update leases set host = '' where run_id = $1 and epoch = $2`,
      parameters: [runId, epoch],
    });
  }

  async takePlace(
    { runId, epoch }: HeldRun,
    { host, places }: { host: string; places: number },
  ): Promise<boolean> {
    const rows = await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [CLAIM_LOCK] });
        return run({
          sql: `update leases set host = $3
                where run_id = $1 and epoch = $2 and (host = $3 or $4 > ${PLACES_TAKEN})
                returning run_id`,
          parameters: [runId, epoch, host, places],
        });
      }),
    );
    return rows.length > 0;
  }

  async release({ runId, epoch }: HeldRun, { last = false }: { last?: boolean } = {}): Promise<void> {
    await this.#run({
      sql: `update leases set until = '-infinity',
              passed_at = case when $3 then extract(epoch from clock_timestamp()) * 1000 else passed_at end
            where run_id = $1 and epoch = $2`,
      parameters: [runId, epoch, last],
    });
  }

  async append(runId: string, { epoch, expectedSeq, events }: AppendRequest): Promise<RunEvent[]> {
    const request = { fence: { epoch }, expectedSeq, events };
    try {
      return await this.#appendAs(runId, request);
    } catch (error) {
      const ends = events.some((event) => event.type === 'run.ended');
      if (!ends || !(error instanceof StorageFullError)) throw error;
      await this.#reserve.release();
      return this.#appendAs(runId, request);
    }
  }

  intervene(
    runId: string,
    { expectedSeq, events }: { expectedSeq: number; events: readonly NewEvent[] },
  ): Promise<RunEvent[]> {
    return this.#appendAs(runId, { fence: 'by a person', expectedSeq, events });
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

  async beginRecovery(runId: string): Promise<number> {
    const [row] = await this.#run({
      sql: 'update runs set recoveries = recoveries + 1 where id = $1 returning recoveries',
      parameters: [runId],
    });
    if (!row) throw new RunNotFoundError(runId);
    return z.object({ recoveries: z.number() }).parse(row).recoveries;
  }

  async settleRecovery(runId: string): Promise<void> {
    await this.#run(compiled(postgres.updateTable('runs').set({ recoveries: 0 }).where('id', '=', runId)));
  }

  async saveModelCheck(check: ModelCheck): Promise<void> {
    const { model, digest, ...values } = checkRow(check);
    await this.#run(
      compiled(
        postgres
          .insertInto('model_checks')
          .values({ model, digest, ...values })
          .onConflict((conflict) => conflict.columns(['model', 'digest']).doUpdateSet(values)),
      ),
    );
  }

  async saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void> {
    const { id, created_at } = summary;
    const body = JSON.stringify(experimentSummary.parse(summary));
    const values = items.map((item) => ({
      experiment_id: id,
      position: item.position,
      body: JSON.stringify(experimentItem.parse(item)),
    }));
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run(
          compiled(
            postgres
              .insertInto('experiments')
              .values({ id, created_at, body })
              .onConflict((conflict) => conflict.column('id').doUpdateSet({ body })),
          ),
        );
        for (const value of values) {
          await run(
            compiled(
              postgres
                .insertInto('experiment_items')
                .values(value)
                .onConflict((conflict) =>
                  conflict.columns(['experiment_id', 'position']).doUpdateSet({ body: value.body }),
                ),
            ),
          );
        }
      }),
    );
  }

  async deleteRun(runId: string): Promise<void> {
    await this.#database.whenAnswered((tries) =>
      this.#database.transaction(async (run) => {
        const [row] = await run({
          sql: 'select phase from runs where id = $1 for update',
          parameters: [runId],
        });
        if (!row) {
          // An earlier try deleted it, and its answer was lost.
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
    this.#states.drop(runId);
    this.#watch.tellDeleted(runId);
  }

  async addShare(share: ShareRecord): Promise<void> {
    await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const [row] = await run({
          sql: 'select id from runs where id = $1 for share',
          parameters: [share.run_id],
        });
        if (!row) throw new RunNotFoundError(share.run_id);
        const insert = postgres.insertInto('shares').values(toShareRow(share));
        await run(compiled(insert.onConflict((conflict) => conflict.column('id').doNothing())));
      }),
    );
  }

  async revokeShare(shareId: string, at: number): Promise<boolean> {
    const rows = await this.#run({
      sql: 'update shares set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
      parameters: [shareId, at],
    });
    return rows.length > 0;
  }

  async countShareView(shareId: string, at: number): Promise<void> {
    await this.#run({
      sql: 'update shares set views = views + 1, last_viewed_at = $2 where id = $1',
      parameters: [shareId, at],
    });
  }

  async holdExperiment(experimentId: string, worker: string): Promise<boolean> {
    const rows = await this.#run({
      sql: `insert into experiment_leases (experiment_id, worker, until)
              values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
            on conflict (experiment_id) do update set worker = excluded.worker, until = excluded.until
              where experiment_leases.worker = $2 or experiment_leases.until <= clock_timestamp()
            returning experiment_id`,
      parameters: [experimentId, worker, this.leaseMs],
    });
    return rows.length > 0;
  }

  async keepExperiment(experimentId: string, worker: string): Promise<boolean> {
    const rows = await this.#run({
      sql: `update experiment_leases set until = clock_timestamp() + $3 * interval '1 millisecond'
            where experiment_id = $1 and worker = $2 returning experiment_id`,
      parameters: [experimentId, worker, this.leaseMs],
    });
    return rows.length > 0;
  }

  async releaseExperiment(experimentId: string, worker: string): Promise<void> {
    await this.#run({
      sql: 'delete from experiment_leases where experiment_id = $1 and worker = $2',
      parameters: [experimentId, worker],
    });
  }

  async holdPlace(id: string, { host, places }: { host: string; places: number }): Promise<boolean> {
    const [row] = await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [CLAIM_LOCK] });
        await run({
          sql: `insert into place_leases (id, host, since, until)
                  values ($1, $2, clock_timestamp(), clock_timestamp() + $3 * interval '1 millisecond')
                on conflict (id) do update set until = excluded.until`,
          parameters: [id, host, this.leaseMs],
        });
        await run({ sql: 'delete from place_leases where until <= clock_timestamp()', parameters: [] });
        return run({
          sql: `select 1 as one from place_leases own where own.id = $1 and $3 >
                  (select count(*) from leases where host = $2 and until > clock_timestamp())
                  + (select count(*) from place_leases other
                     where other.host = $2 and (other.since, other.id) < (own.since, own.id))`,
          parameters: [id, host, places],
        });
      }),
    );
    return row !== undefined;
  }

  async dropPlace(id: string): Promise<void> {
    await this.#run({ sql: 'delete from place_leases where id = $1', parameters: [id] });
  }

  /** Whether the database answers at the moment. */
  answers(): Promise<boolean> {
    return this.#database.run({ sql: 'select 1', parameters: [] }).then(
      () => true,
      () => false,
    );
  }

  onAppend(listener: (runId: string, lastSeq: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onOthersAppend(listener: (runId: string, lastSeq: number) => void): () => void {
    this.#othersListeners.add(listener);
    return () => this.#othersListeners.delete(listener);
  }

  say(messages: readonly string[]): Promise<void> {
    return this.#watch.say(messages);
  }

  onSaid(listener: (message: string) => void): () => void {
    this.#saidListeners.add(listener);
    return () => this.#saidListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#saidListeners.clear();
    this.#listeners.clear();
    this.#othersListeners.clear();
    await this.#search.close();
    await this.#watch.close();
    await this.#database.close();
  }

  search(query: string, page: SearchPage): Promise<Found> {
    return this.#search.search(query, page);
  }

  protected experimentField(name: 'status' | 'running'): Expression<string | null> {
    return sql<string | null>`(body::json ->> ${name})`;
  }

  protected holds(word: string): Expression<SqlBool> {
    return sql<SqlBool>`strpos(lower((title || chr(10) || model) collate "C"), ${word}) > 0`;
  }

  protected all(query: Compilable): Promise<unknown[]> {
    return this.#run(compiled(query));
  }

  /** A statement that may be run twice. */
  readonly #run: Run = (statement: Statement) =>
    this.#database.whenAnswered(() => this.#database.run(statement));

  #appendAs(
    runId: string,
    request: { fence: Fence; expectedSeq: number; events: readonly NewEvent[] },
  ): Promise<RunEvent[]> {
    return this.#database.whenAnswered(async () => {
      const { fence, expectedSeq, events } = request;
      const before = await this.#stateAt(runId, expectedSeq);
      if (expectedSeq < 1 || before.seq !== expectedSeq) return this.#refused(runId, request);
      // Not before the event before it, whatever the clocks of the processes say.
      const at = Math.max(steadyNow(), before.updatedAt);
      const appended = events.map((event, index) =>
        complete(event, { run_id: runId, seq: expectedSeq + index + 1, at }),
      );
      const state = foldAll(before, appended);
      const statement = appendStatement({ fence, expectedSeq, appended, state });
      const rows = await this.#database.run(statement).catch((error: unknown) => {
        if (isStoreBusy(error)) this.#unanswered.set(runId, events.map(withoutUndefined));
        throw error;
      });
      if (rows.length === 0) return this.#refused(runId, request);
      this.#unanswered.delete(runId);
      this.#committed(state);
      return appended;
    });
  }

  /** Why an append wrote nothing; or what it wrote, when the answer to an earlier try was lost. */
  async #refused(
    runId: string,
    { fence, expectedSeq, events }: { fence: Fence; expectedSeq: number; events: readonly NewEvent[] },
  ): Promise<RunEvent[]> {
    const found = await positionOf(this.#database.run, runId);
    if (!found) throw new RunNotFoundError(runId);
    // Epoch 0 is a run that nobody has claimed.
    if (fence !== 'by a person' && (fence.epoch < 1 || found.epoch !== fence.epoch)) {
      throw new StaleEpochError(runId, fence.epoch);
    }
    const stored = await this.#storedUnanswered(runId, expectedSeq, events);
    if (stored) return stored;
    if (found.last_seq !== expectedSeq) throw new SeqConflictError(runId, expectedSeq, found.last_seq);
    throw new RunEndedError(runId);
  }

  async #storedUnanswered(
    runId: string,
    expectedSeq: number,
    events: readonly NewEvent[],
  ): Promise<RunEvent[] | undefined> {
    const unanswered = this.#unanswered.get(runId);
    this.#unanswered.delete(runId);
    const asked = events.map(withoutUndefined);
    if (!unanswered || !isDeepStrictEqual(unanswered, asked)) return undefined;
    const stored = await this.read(runId, { afterSeq: expectedSeq, limit: events.length });
    if (!isDeepStrictEqual(stored.map(withoutPlace), asked)) return undefined;
    this.#committed(foldAll(await this.#stateAt(runId, expectedSeq), stored));
    return stored;
  }

  async #stateAt(runId: string, seq: number): Promise<RunState> {
    const base = this.#states.last(runId);
    if (base.seq === seq) return base;
    const from = base.seq < seq ? base : emptyRunState(runId);
    return foldAll(from, await this.read(runId, { afterSeq: from.seq, limit: seq - from.seq }));
  }

  #eventsOf(rows: readonly unknown[]): RunEvent[] {
    return rows.map((row) => eventFromRow(row, (where, cause) => damagedDatabase(this.path, cause, where)));
  }

  #committed(state: RunState): void {
    this.#states.keep(state);
    this.#watch.tell(state.runId, state.seq);
    this.#search.soon();
    announce(this.#listeners, state.runId, state.seq);
  }
}

/** How many work with the model server $3, or come before all runs that wait for it. */
const PLACES_TAKEN = `((select count(*) from leases where host = $3 and until > clock_timestamp())
  + (select count(*) from place_leases where host = $3 and until > clock_timestamp()))`;

/** The lease of what `taken` took: $2 the worker, $3 the model server, $4 for how long in milliseconds. */
const LEASE_TAKEN = `leased as (
  insert into leases (run_id, epoch, worker, host, until)
    select id, epoch, $2, $3, clock_timestamp() + $4 * interval '1 millisecond' from taken
  on conflict (run_id) do update
    set epoch = excluded.epoch, worker = excluded.worker, host = excluded.host, until = excluded.until, passed_at = null)`;

const EVENT_COLUMNS = 'unnest($4::bigint[], $5::text[], $6::text[]) as event (seq, type, body)';
const COUNT_COLUMNS = 'unnest($7::text[], $8::bigint[]) as counted (counter, count)';
/** Of the summary, what an append changes. */
const CHANGING = [
  ...([
    'updated_at',
    'started_at',
    'ended_at',
    'phase',
    'termination_reason',
    'message',
    'iterations_used',
  ] as const),
  ...([
    'cycles',
    'tokens_in',
    'tokens_out',
    'tool_calls',
    'verification',
    'stop_requested',
    'last_seq',
  ] as const),
];
const FIRST_CHANGING = 10;

/** One statement, so that it is whole or not there, and waits for one answer of the database. */
const APPEND = {
  held: appendSql('epoch = $3 and $3 > 0'),
  byPerson: appendSql('$3::bigint is null'),
};

function appendSql(fence: string): string {
  const changes = CHANGING.map((column, index) => `${column} = $${FIRST_CHANGING + index}`).join(', ');
  return `
    with held as (update runs set ${changes}
                  where id = $1 and last_seq = $2 and ${fence} and phase <> 'ended' returning id, model),
         stored as (insert into events (run_id, seq, type, at, body)
                    select held.id, event.seq, event.type, $9, event.body from held, ${EVENT_COLUMNS}),
         counts as (insert into model_counts (model, counter, count)
                    select held.model, counted.counter, counted.count from held, ${COUNT_COLUMNS}
                    on conflict (model, counter) do update set count = model_counts.count + excluded.count)
    select id from held`;
}

function appendStatement(append: {
  fence: Fence;
  expectedSeq: number;
  appended: readonly RunEvent[];
  state: RunState;
}): Statement {
  const { fence, expectedSeq, appended, state } = append;
  const rows = appended.map(toEventRow);
  const counts = [...totalCounts(appended)].sort(([a], [b]) => (a < b ? -1 : 1)); // one order, so that no two wait in a ring
  const summary = toRow(summarizeRun(state));
  const held = fence !== 'by a person';
  return {
    name: held ? 'loupe_append' : 'loupe_intervene',
    sql: held ? APPEND.held : APPEND.byPerson,
    parameters: [
      state.runId,
      expectedSeq,
      held ? fence.epoch : null,
      rows.map(({ seq }) => seq),
      rows.map(({ type }) => type),
      rows.map(({ body }) => body),
      counts.map(([counter]) => counter),
      counts.map(([, count]) => count),
      appended[0]?.at ?? null,
      ...CHANGING.map((column) => summary[column]),
    ],
  };
}

function eventsAfter(runId: string, { afterSeq, limit }: { afterSeq: number; limit: number }): Statement {
  return {
    name: 'loupe_read',
    sql: 'select run_id, seq, at, body from events where run_id = $1 and seq > $2 order by seq limit $3',
    parameters: [runId, afterSeq, limit],
  };
}

function textsAfter(runId: string, { afterSeq, limit, maxChars }: TextRange): Statement {
  return {
    name: 'loupe_read_texts',
    sql: `select run_id, seq, at, type, body
            from (select *, sum(length(body)) over (order by seq) - length(body) as chars_before
                    from (select run_id, seq, at, type, body from events
                            where run_id = $1 and seq > $2 order by seq limit $3) as page) as measured
            where chars_before < $4 order by seq`,
    parameters: [runId, afterSeq, limit, maxChars],
  };
}

function insertEvents(runId: string, events: readonly RunEvent[]): Statement {
  const rows = events.map(toEventRow);
  return {
    sql: `insert into events (run_id, seq, type, at, body)
          select $1, event.* from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) as event`,
    parameters: [
      runId,
      rows.map(({ seq }) => seq),
      rows.map(({ type }) => type),
      events.map(({ at }) => at),
      rows.map(({ body }) => body),
    ],
  };
}

function totalCounts(events: readonly RunEvent[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const event of events) {
    for (const [counter, count] of countsOf(event)) totals.set(counter, (totals.get(counter) ?? 0) + count);
  }
  return totals;
}

function toEventRow(event: RunEvent): { run_id: string; seq: number; type: string; body: string } {
  const { run_id, seq, at: _, ...body } = event;
  return { run_id, seq, type: event.type, body: JSON.stringify(body) };
}

function withoutPlace(event: RunEvent): unknown {
  const { run_id: _run, seq: _seq, at: _at, ...body } = event;
  return withoutUndefined(body);
}

/** As the log holds it: fields that are undefined are not there. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Checked before it is written: what cannot be read back must never become part of a log. */
function complete(event: NewEvent, place: { run_id: string; seq: number; at: number }): RunEvent {
  return runEvent.parse({ ...event, ...place });
}

async function firstOf(run: Run, key: string): Promise<string | undefined> {
  const [row] = await run(
    compiled(postgres.selectFrom('idempotency_keys').select('run_id').where('key', '=', key)),
  );
  return row && z.object({ run_id: z.string() }).parse(row).run_id;
}

async function positionOf(run: Run, runId: string): Promise<z.infer<typeof position> | undefined> {
  const [row] = await run({
    sql: 'select last_seq, epoch, phase from runs where id = $1',
    parameters: [runId],
  });
  return row && position.parse(row);
}

function toClaim(row: unknown): { epoch: number; lastSeq: number } {
  const { epoch, last_seq: lastSeq } = claimed.parse(row);
  return { epoch, lastSeq };
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
      console.error('A listener of the store failed:', error); // the append stands, whoever failed to hear of it
    }
  }
}
