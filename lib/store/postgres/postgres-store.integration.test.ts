import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ExperimentSummary, experimentRequest } from '../../api/experiment.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { appendTo, growthAfter, interveneIn } from '../../testing/append-to.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../testing/postgres-server.ts';
import {
  approvalLog,
  completedLog,
  longLog,
  sampleConfig,
  sampleFile,
  verifiedLog,
} from '../../testing/sample-logs.ts';
import { stoppedSessionLog } from '../../testing/sample-modes.ts';
import { unmarkedLoss } from '../../testing/store-contract/samples.ts';
import { describeRunStore } from '../../testing/store-contract.ts';
import { durationsOf, storeDurations } from '../../testing/stored-durations.ts';
import { FAMILIES_AND_FOLDERS, familiesAndFolders, storeFamilies } from '../../testing/stored-families.ts';
import { growthOf } from '../growth-of.ts';
import { toEventRow } from '../import-run.ts';
import { SqliteRunStore } from '../sqlite/sqlite-store.ts';
import { PostgresDatabase, type Run } from './postgres-database.ts';
import { POSTGRES_SCHEMA_VERSION } from './postgres-migrations.ts';
import { PostgresRunStore, type PostgresStoreOptions } from './postgres-store.ts';

/** Removes the tables and columns that are newer than suites. */
const DROP_NEWER =
  'alter table runs drop column worked_ms, drop column turns; drop table experiment_cases; drop table run_images; drop table benchmark_results; drop table benchmarks; drop table request_keys;';

const installed = findPostgres() !== undefined;
if (!installed)
  console.warn('PostgreSQL is not installed: its store is NOT tested. apt-get install postgresql');

const warned = (message: string) => ({ type: 'policy.warned', code: 'test', message }) as const;
/** Columns of one step of the schema. */
const OUTCOME_COLUMNS = ['outcome', 'checks_failed', 'checks_total'];
const anywhere = { worker: 'w', host: 'ollama', slots: 9 };

// In CI, PostgreSQL must be available.
describe.skipIf(!installed && !process.env.CI)('PostgreSQL', () => {
  let server: PostgresServer;
  /** A database with the current tables, all empty. */
  let migrated: string;
  const opened: PostgresRunStore[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    migrated = server.newDatabase();
    await (await PostgresRunStore.open(migrated)).close();
  });
  // A store left open could print to another test's console.
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    // The databases of all tests would take up gigabytes.
    server.dropDatabases(migrated);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Reverts a database to the schema before annotations. */
  const dropAnnotations = (url: string) => {
    server.sql(url, 'drop table annotations');
    for (const column of ['family', 'folder', 'deleted_at']) {
      server.sql(url, `alter table runs drop column ${column}`);
    }
  };

  /** Reverts a database to the schema before prices and some columns of runs. */
  const toSchema = (url: string, { version, without }: { version: number; without: readonly string[] }) => {
    dropAnnotations(url);
    for (const column of without) server.sql(url, `alter table runs drop column ${column}`);
    server.sql(
      url,
      `${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history; drop table presets; drop table standing_approvals; drop table sign_ins; drop table model_prices; update loupe_schema set version = ${version}`,
    );
  };

  /** Copies the row of the run `run-0000`, as `run-0001` and so on. */
  const copyRuns = (url: string, count: number) =>
    server.sql(
      url,
      `insert into runs select (jsonb_populate_record(runs, jsonb_build_object('id', 'run-' || to_char(n, 'FM0000')))).*
         from runs, generate_series(1, ${count}) n where id = 'run-0000'`,
    );

  const open = async (url: string, options: PostgresStoreOptions = {}) => {
    const store = await PostgresRunStore.open(url, options);
    opened.push(store);
    return store;
  };

  describeRunStore('PostgreSQL', async () => {
    const url = server.newDatabase(migrated);
    const options = { leaseMs: 3000 };
    const subject = {
      store: await PostgresRunStore.open(url, options),
      async reopen() {
        await subject.store.close();
        subject.store = await PostgresRunStore.open(url, options);
        return subject.store;
      },
      dispose: () => subject.store.close(),
      imports: () => subject.store.imports,
    };
    return subject;
  });

  it('has the tables of SQLite and its own', async () => {
    const url = server.newDatabase();
    await open(url);
    const columns = server
      .sql(
        url,
        `select table_name || '.' || column_name from information_schema.columns where table_schema = 'public'`,
      )
      .split('\n');
    const directory = mkdtempSync(join(tmpdir(), 'loupe-tables-'));
    await SqliteRunStore.open(directory, { ballastMegabytes: 1 }).close();
    const database = new Database(join(directory, 'loupe.db'));
    const inSqlite = database
      .prepare(
        `select t.name || '.' || c.name as name from sqlite_schema t, pragma_table_info(t.name) c
         where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like 'search_texts%'`,
      )
      .all()
      .map((row) => (row as { name: string }).name);
    database.close();
    rmSync(directory, { recursive: true });
    expect(inSqlite.filter((name) => !columns.includes(name))).toEqual([]);
    const own = columns.filter((name) => !inSqlite.includes(name)).map((name) => name.split('.')[0]);
    expect(new Set(own)).toEqual(
      new Set([
        'leases',
        'experiment_leases',
        'place_leases',
        'loupe_reserve',
        'loupe_schema',
        'search_rows',
      ]),
    );
  });

  it('creates its tables once if several processes start at the same time', async () => {
    const url = server.newDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    await stores[0].create({ id: 'a', config: sampleConfig() });
    expect(await stores[2].summary('a')).toMatchObject({ id: 'a' });
  });

  it('waits for another process that migrates, even if the database limits how long to wait for a lock', async () => {
    const url = server.newDatabase();
    server.sql(url, `alter database ${new URL(url).pathname.slice(1)} set lock_timeout = '1ms'`);
    const stores = await Promise.all([open(url), open(url), open(url)]);
    expect(await stores[0].list({ limit: 1 })).toEqual([]);
  });

  it('migrates without a limit of time, which a large database would exceed', async () => {
    const url = server.newDatabase();
    server.sql(
      url,
      `create table limits (found text);
       create function note_limit() returns event_trigger language plpgsql as
         $$ begin insert into limits values (current_setting('statement_timeout')); end $$;
       create event trigger noting on ddl_command_start execute function note_limit()`,
    );
    const store = await open(url);
    expect(server.sql(url, 'select distinct found from limits').split('\n')).toContain('0');
    server.sql(url, 'drop event trigger noting');
    expect(await store.list({ limit: 1 })).toEqual([]);
  });

  it('the migration counts the dropped calls of older logs', async () => {
    const url = server.newDatabase();
    const store = await open(url);
    await store.create({ id: 'old', config: sampleConfig() });
    const { epoch } = await store.claim('old', 'worker');
    // PostgreSQL reads no field of JSON that contains an escape for one of these characters, which models
    // write.
    const events = unmarkedLoss.map((event) =>
      event.type === 'model-call.ended'
        ? { ...event, message: { ...event.message, thinking: '\u0000 \ud800' } }
        : event,
    );
    await appendTo(store, 'old', { epoch, expectedSeq: 1, events });
    toSchema(url, { version: 6, without: ['tokens_estimated', ...OUTCOME_COLUMNS, 'cost_usd'] });
    const migrated = await open(url);
    expect((await migrated.readings()).get(sampleConfig().model)).toMatchObject({ replies: 2, malformed: 1 });
  });

  it('finds the families and folders of older runs', async () => {
    const url = server.newDatabase();
    const older = await PostgresRunStore.open(url);
    await storeFamilies(older);
    // Its background work would wait for the migration, and the migration for it.
    await older.close();
    dropAnnotations(url);
    server.sql(
      url,
      `${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history; update loupe_schema set version = 12`,
    );
    expect(await familiesAndFolders(await open(url))).toEqual(FAMILIES_AND_FOLDERS);
  });

  it('finds the durations of older runs, without their waits', async () => {
    const url = server.newDatabase();
    const older = await PostgresRunStore.open(url);
    const durations = await storeDurations(older);
    await older.close();
    server.sql(
      url,
      'alter table runs drop column worked_ms, drop column turns; drop table request_keys; update loupe_schema set version = 18',
    );
    expect(await durationsOf(await open(url))).toEqual(durations);
  });

  it('counts the turns of older sessions', async () => {
    const url = server.newDatabase();
    const older = await PostgresRunStore.open(url);
    await older.importRun(sampleFile(stoppedSessionLog({ runId: 'session' })));
    await older.close();
    server.sql(url, 'alter table runs drop column turns; update loupe_schema set version = 20');
    expect((await (await open(url)).summary('session'))?.turns).toBe(4);
  });

  it('notifies the other processes of notes, deletions and restored runs', async () => {
    const url = server.newDatabase();
    const store = await open(url);
    const other = await open(url);
    await store.create({ id: 'a', config: sampleConfig() });
    const told: string[] = [];
    other.onOthersAppend((runId) => told.push(runId));
    await vi.waitFor(async () => expect(await other.summary('a')).toBeDefined());
    await vi.waitFor(() => expect(told).not.toEqual([]));
    for (const change of [{ tags: ['x'] }, { tags: [] }]) {
      told.length = 0;
      await store.annotate(['a'], change);
      await vi.waitFor(() => expect(told).toEqual(['a']));
    }
  });

  it('refuses a database of a newer version and leaves it unchanged', async () => {
    const url = server.newDatabase();
    await open(url);
    const newer = POSTGRES_SCHEMA_VERSION + 1;
    server.sql(url, `update loupe_schema set version = ${newer}`);
    await expect(PostgresRunStore.open(url)).rejects.toMatchObject({ code: 'store_too_new' });
    expect(server.sql(url, 'select version from loupe_schema')).toBe(String(newer));
  });

  it('notices that a newer version has migrated the database meanwhile', async () => {
    const url = server.newDatabase(migrated);
    const store = await open(url, { lookMs: 20 });
    const newer = POSTGRES_SCHEMA_VERSION + 1;
    server.sql(url, `update loupe_schema set version = ${newer}`);
    expect(await store.outdated).toMatchObject({
      code: 'store_too_new',
      message: expect.stringContaining(`newer Loupe (schema ${newer}`),
    });
  });

  it.each(['LATIN1', 'SQL_ASCII'])(
    'refuses a database with the encoding %s, and leaves it unchanged',
    async (encoding) => {
      const url = server.newDatabase();
      const name = encoding.toLowerCase();
      server.sql(
        url,
        `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
      );
      const other = url.replace(/\/test_\d+$/, `/${name}`);
      await expect(PostgresRunStore.open(other)).rejects.toMatchObject({
        code: 'store_encoding',
        message: expect.stringContaining(`has the encoding ${encoding}`),
      });
      expect(server.sql(other, `select count(*) from pg_tables where schemaname = 'public'`)).toBe('0');
    },
  );

  it('fills in the outcome of runs that ended before it was stored', async () => {
    const url = server.newDatabase();
    const store = await open(url);
    await store.importRun(sampleFile(verifiedLog({ runId: 'checked' })));
    const cut = completedLog({ runId: 'cut' }).events.map((event) =>
      event.type === 'reply.parsed' ? { ...event, cut: true } : event,
    );
    await store.importRun(sampleFile({ events: cut }));
    toSchema(url, { version: 7, without: [...OUTCOME_COLUMNS, 'cost_usd'] });
    const migrated = await open(url);
    expect(await migrated.summary('checked')).toMatchObject({
      outcome: { kind: 'answered', checks: { failed: 0, total: 2 } },
    });
    expect(await migrated.summary('cut')).toMatchObject({ outcome: { kind: 'answered_cut_off' } });
  });

  it('reports why a database cannot be opened, without the password', async () => {
    const url = server.newDatabase();
    const missing = await PostgresRunStore.open(url.replace(/\/test_\d+$/, '/nowhere')).catch(
      (error) => error,
    );
    expect(missing).toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('"nowhere" does not exist'),
      hint: expect.stringContaining('LOUPE_DATABASE_URL'),
    });
    const nobody = await PostgresRunStore.open('postgres://loupe:not-asked-for@127.0.0.1:1/x').catch(
      (error) => error,
    );
    expect(nobody).toMatchObject({
      code: 'store_unreachable',
      message: 'The PostgreSQL database 127.0.0.1:1/x cannot be opened: connect ECONNREFUSED 127.0.0.1:1.',
    });
    for (const error of [missing, nobody]) {
      expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain('not-asked-for');
    }
  });

  it('finds nothing for IDs that a database cannot store [threat 17]', async () => {
    const store = await open(server.newDatabase());
    for (const id of ['\0', "'; drop table runs; --", '\ud800', '__proto__', 'x'.repeat(100_000)]) {
      expect(await store.summary(id)).toBeUndefined();
      expect(await store.read(id, { afterSeq: 0, limit: 1 })).toEqual([]);
      expect(await store.experiment(id)).toBeUndefined();
    }
    const { runId } = await store.create({ id: 'a', config: sampleConfig({ task: 'A \0 task \ud800' }) });
    expect((await store.summary(runId))?.title).toContain('\0');
  });

  it('commits durably, even if the database is configured otherwise', async () => {
    const url = server.newDatabase();
    server.sql(url, `alter database ${url.split('/').at(-1)} set synchronous_commit = off`);
    const store = await open(url);
    server.sql(
      url,
      `create table seen (setting text);
       create function look() returns trigger language plpgsql as $$
         begin insert into seen values (current_setting('synchronous_commit')); return null; end $$;
       create trigger look after insert on events execute function look()`,
    );
    await store.create({ id: 'a', config: sampleConfig() });
    const { epoch } = await store.claim('a', 'w');
    await appendTo(store, 'a', { epoch, expectedSeq: 1, events: [warned('x')] });
    expect(server.sql(url, 'select setting from seen')).toBe('on\non');
  });

  describe('with several processes', () => {
    it('takes exactly one of two appends made by two processes at the same time', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      for (let round = 0; round < 30; round++) {
        const id = `run-${round}`;
        await a.create({ id, config: sampleConfig() });
        const { epoch } = await a.claim(id, 'w');
        const append = (store: PostgresRunStore, name: string) =>
          appendTo(store, id, { epoch, expectedSeq: 1, events: [warned(name), warned(name)] });
        const results = await Promise.allSettled([append(a, 'a'), append(b, 'b')]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const refused = results.find((result) => result.status === 'rejected');
        expect(refused).toMatchObject({ reason: { code: 'seq_conflict' } });
        const log = await b.read(id, { afterSeq: 1, limit: 10 });
        const winner = results[0].status === 'fulfilled' ? 'a' : 'b';
        expect(log.map((event) => 'message' in event && event.message)).toEqual([winner, winner]);
      }
    });

    it('lets no process claim a session that waits for a message, until there is one', async () => {
      const store = await open(server.newDatabase());
      await store.create({ id: 'chat', config: sampleConfig({ mode: 'session', autopilot: false }) });
      const slot = { worker: 'w', host: 'h', slots: 1 };
      const claim = await store.claimFree('chat', slot);
      const epoch = claim?.epoch ?? 0;
      const waits = { type: 'message.awaited', iteration: 0, cause: 'start' } as const;
      await appendTo(store, 'chat', { epoch, expectedSeq: 1, events: [waits] });
      await store.release({ runId: 'chat', epoch });
      expect(await store.free()).toEqual([]);
      expect(await store.claimFree('chat', slot)).toBeUndefined();
      const said = { type: 'operator.messaged', message_id: 'm1', text: 'Hello.' } as const;
      await appendTo(store, 'chat', { epoch, expectedSeq: 2, events: [said] });
      expect((await store.free()).map(({ id }) => id)).toEqual(['chat']);
    });

    it('gives a free run to one process, and to no other while its lease is valid', async () => {
      const url = server.newDatabase();
      const stores = await Promise.all([open(url), open(url), open(url)]);
      const [a, b] = stores;
      for (let round = 0; round < 10; round++) {
        const id = `run-${round}`;
        await a.create({ id, config: sampleConfig() });
        expect((await b.free()).map((run) => run.id)).toContain(id);
        const claims = await Promise.all(
          stores.map((store, n) => store.claimFree(id, { ...anywhere, worker: `w${n}`, slots: 99 })),
        );
        expect(claims.filter((claim) => claim !== undefined)).toEqual([{ epoch: 1, lastSeq: 1 }]);
        expect(await b.free()).toEqual([]);
      }
    });

    it('limits the runs per model server across all processes', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      for (const id of ['1', '2', '3']) await a.create({ id, config: sampleConfig() });
      const one = { worker: 'w', host: 'ollama', slots: 1 };
      const taken = await Promise.all([a.claimFree('1', one), b.claimFree('2', one)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await b.claimFree('3', { ...one, host: 'another' })).toBeDefined();
      const runId = taken[0] ? '1' : '2';
      const other = { runId: taken[0] ? '2' : '1', epoch: 1 };
      await a.yieldSlot({ runId, epoch: 1 });
      expect(await b.claimFree(other.runId, one)).toBeDefined();
      expect(await a.retakeSlot({ runId, epoch: 1 }, one)).toBe(false);
      await b.release(other);
      expect(await a.retakeSlot({ runId, epoch: 1 }, one)).toBe(true);
      expect(await b.claimFree(other.runId, one)).toBeUndefined();
      await a.release({ runId, epoch: 1 }, { last: true });
      expect((await b.free()).map(({ id }) => id)).toEqual([runId === '1' ? '2' : '1', runId]);
      expect(await b.claimFree(runId, one)).toEqual({ epoch: 2, lastSeq: 1 });
    });

    it('puts a run that yields behind runs of a machine whose clock is ahead', async () => {
      const url = server.newDatabase(migrated);
      const store = await open(url);
      for (const id of ['1', '2']) await store.create({ id, config: sampleConfig() });
      server.sql(url, `update runs set created_at = created_at + 600000`);
      const claim = await store.claimFree('1', anywhere);
      await store.release({ runId: '1', epoch: claim?.epoch ?? 0 }, { last: true });
      expect((await store.free()).map(({ id }) => id)).toEqual(['2', '1']);
    });

    it('gives out a run that waits for a person without a slot, although all are taken', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      const one = { worker: 'w', host: 'ollama', slots: 1 };
      await a.create({ id: 'busy', config: sampleConfig() });
      expect(await a.claimFree('busy', one)).toBeDefined();
      const { events } = approvalLog({ runId: 'asking' });
      const asking = events.slice(0, events.findIndex(({ type }) => type === 'approval.requested') + 1);
      const [first] = asking;
      if (first?.type !== 'run.created') throw new Error('no beginning');
      await a.create({ id: 'asking', config: first.config });
      const claim = await a.claimFree('asking', { ...one, host: 'another' });
      const state = foldAll(emptyRunState('asking'), asking);
      expect(state.phase).toBe('awaiting-approval');
      await a.append('asking', { epoch: claim?.epoch ?? 0, ...growthOf(asking.slice(1), state) });
      await a.release({ runId: 'asking', epoch: claim?.epoch ?? 0 });
      expect(await b.free()).toMatchObject([{ id: 'asking', needsSlot: false }]);
      expect(await b.claimFree('asking', one)).toBeUndefined();
      expect(await b.claimFree('asking', { worker: 'b', slots: 1 })).toMatchObject({ epoch: 2 });
      expect(await b.retakeSlot({ runId: 'asking', epoch: 2 }, one)).toBe(false);
    });

    it('gives out a stopped run although more runs than it lists wait before it', async () => {
      const url = server.newDatabase();
      const store = await open(url);
      await store.create({ id: 'run-0000', config: sampleConfig() });
      await store.create({ id: 'run-9999', config: sampleConfig() });
      copyRuns(url, 1100);
      const stop = { type: 'stop.requested', force: false, by: 'operator' } as const;
      await interveneIn(store, 'run-9999', { expectedSeq: 1, events: [stop] });
      const free = (await store.free()).map(({ id }) => id);
      expect(free.slice(0, 3)).toEqual(['run-9999', 'run-0000', 'run-0001']);
    });

    it('lists a run of an idle model server although more than a thousand wait for another before it', async () => {
      const url = server.newDatabase();
      const store = await open(url);
      await store.create({ id: 'run-0000', config: sampleConfig() });
      copyRuns(url, 1100);
      await store.create({ id: 'run-9999', config: sampleConfig({ model: 'elsewhere' }) });
      expect((await store.free()).at(-1)).toMatchObject({ id: 'run-9999', model: 'elsewhere' });
    });

    it('lets a lease run out by the database’s clock, and tells its holder if another process has claimed the run', async () => {
      const url = server.newDatabase();
      const [frozen, awake] = [await open(url, { leaseMs: 600 }), await open(url)];
      await frozen.create({ id: 'a', config: sampleConfig() });
      await frozen.claimFree('a', anywhere);
      const held = [{ runId: 'a', epoch: 1 }];
      for (let beat = 0; beat < 4; beat++) {
        await delay(200);
        expect(await frozen.renew(held)).toEqual([]);
        expect(await awake.claimFree('a', anywhere)).toBeUndefined();
      }
      const claim = await vi.waitFor(async () => {
        const found = await awake.claimFree('a', anywhere);
        expect(found).toBeDefined();
        return found;
      });
      expect(claim).toEqual({ epoch: 2, lastSeq: 1 });
      expect(await frozen.renew(held)).toEqual(['a']);
      await frozen.release({ runId: 'a', epoch: 1 });
      expect(await awake.free()).toEqual([]);
      const late = appendTo(frozen, 'a', { epoch: 1, expectedSeq: 1, events: [warned('late')] });
      await expect(late).rejects.toMatchObject({ code: 'stale_epoch' });
    });

    it('a model check holds a slot, in request order, until it is released', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      for (const id of ['1', '2']) await a.create({ id, config: sampleConfig() });
      const one = { host: 'ollama', slots: 1 };
      const run = { runId: '1', epoch: 1 };
      expect(await a.claimFree('1', { worker: 'a', ...one })).toBeDefined();
      expect(await b.holdSlot('first', one)).toBe(false);
      expect(await a.holdSlot('second', one)).toBe(false);
      await a.yieldSlot(run);
      expect(await a.retakeSlot(run, one)).toBe(false);
      expect(await a.holdSlot('second', one)).toBe(false);
      expect(await b.holdSlot('first', one)).toBe(true);
      expect(await b.holdSlot('first', one)).toBe(true);
      await b.dropSlot('first');
      expect(await a.holdSlot('second', one)).toBe(true);
      expect(await a.holdSlot('elsewhere', { host: 'another', slots: 1 })).toBe(true);
      expect(await b.claimFree('2', { worker: 'b', ...one })).toBeUndefined();
      await a.dropSlot('second');
      expect(await a.retakeSlot(run, one)).toBe(true);
      await a.yieldSlot(run);
      // A slot that is not renewed is free once its lease expires.
      const brief = await open(url, { leaseMs: 200 });
      expect(await brief.holdSlot('frozen', one)).toBe(true);
      await vi.waitFor(async () => expect(await b.claimFree('2', { worker: 'b', ...one })).toBeDefined(), {
        timeout: 5000,
      });
    });

    it('gives an experiment to one process, until it is released or its lease expires', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url, { leaseMs: 500 }), await open(url)];
      const plan = experimentRequest.parse({ name: 'Seeds', models: ['m'], seeds: [1] });
      const { name } = plan;
      const progress = {
        status: 'running' as const,
        created_at: 1,
        updated_at: 1,
        total: 1,
        done: 0,
        failed: 0,
      };
      await a.saveExperiment({ id: 'e', name, mode: 'explore', plan, ...progress }, []);
      expect(await a.holdExperiment('e', 'a')).toBe(true);
      expect(await a.holdExperiment('e', 'a')).toBe(true);
      expect(await b.holdExperiment('e', 'b')).toBe(false);
      await vi.waitFor(async () => expect(await b.holdExperiment('e', 'b')).toBe(true), { timeout: 5000 });
      expect(await a.holdExperiment('e', 'a')).toBe(false);
      expect([await a.keepExperiment('e', 'a'), await b.keepExperiment('e', 'b')]).toEqual([false, true]);
      await a.releaseExperiment('e', 'a');
      expect(await a.holdExperiment('e', 'a')).toBe(false);
      await b.releaseExperiment('e', 'b');
      // Free again, but with a new lease: the process does not know what happened in between.
      expect(await a.keepExperiment('e', 'a')).toBe(false);
      expect(await a.holdExperiment('e', 'a')).toBe(true);
      await b.deleteExperiment('e');
      expect(await a.holdExperiment('e', 'a')).toBe(false);
    });

    it('lets no process claim an experiment that is deleted at the same moment', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      const plan = experimentRequest.parse({ name: 'Seeds', models: ['m'], seeds: [1] });
      const counts = { total: 1, done: 0, failed: 0 };
      for (let round = 0; round < 30; round++) {
        const times = { created_at: 1, updated_at: 1 };
        await a.saveExperiment(
          { id: 'e', name: plan.name, mode: 'explore', plan, status: 'stopped', ...times, ...counts },
          [],
        );
        const [held] = await Promise.all([a.holdExperiment('e', 'a'), b.deleteExperiment('e')]);
        expect([true, false]).toContain(held);
        expect(await a.keepExperiment('e', 'a')).toBe(false);
      }
    });

    it('delivers messages to other processes in order and unchanged, and not to the sender', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      const heard: string[] = [];
      const echoes: string[] = [];
      b.onBroadcast((message) => heard.push(message));
      a.onBroadcast((message) => echoes.push(message));
      const words = [
        'x'.repeat(7500),
        '',
        JSON.stringify('\u0000 \ud800 🦊 \u{10ffff}'),
        ...Array.from({ length: 60 }, (_, index) => `${index}`),
      ];
      await a.broadcast(words);
      await vi.waitFor(() => expect(heard).toHaveLength(words.length), { timeout: 5000 });
      expect(heard).toEqual(words);
      expect(echoes).toEqual([]);
    });

    it('notices appends by other processes almost at once, and without notifications at its next poll', async () => {
      const url = server.newDatabase();
      const [reader, writer] = [await open(url, { lookMs: 300 }), await open(url)];
      const heard: string[] = [];
      reader.onOthersAppend((runId, lastSeq) => heard.push(`${runId}:${lastSeq}`));
      await writer.create({ id: 'a', config: sampleConfig() });
      await vi.waitFor(() => expect(heard).toEqual(['a:1']));
      server.sql(url, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`);
      const { epoch } = await writer.claim('a', 'w');
      await appendTo(writer, 'a', { epoch, expectedSeq: 1, events: [warned('x')] });
      await vi.waitFor(() => expect(heard).toEqual(['a:1', 'a:2']), { timeout: 5000 });
      await appendTo(reader, 'a', { epoch, expectedSeq: 2, events: [warned('mine')] });
      await delay(700); // its own appends are not reported
      expect(heard).toEqual(['a:1', 'a:2']);
    });

    it('notices that another process has deleted a run', async () => {
      const url = server.newDatabase();
      const [reader, writer] = [await open(url), await open(url)];
      const heard: string[] = [];
      await writer.importRun(sampleFile(completedLog({ runId: 'a' })));
      reader.onOthersAppend((runId, lastSeq) => heard.push(`${runId}:${lastSeq}`));
      await writer.deleteRun('a');
      await vi.waitFor(() => expect(heard).toContain('a:0'));
    });

    it('removes deleted runs in a transaction each, so that no number of them takes too long', async () => {
      const url = server.newDatabase(migrated);
      const store = await open(url);
      const ids = ['a', 'b', 'c'];
      for (const runId of ids) await store.importRun(sampleFile(completedLog({ runId })));
      server.sql(
        url,
        `create table purged (xid bigint);
         create function note() returns trigger language plpgsql as $$
           begin insert into purged values (txid_current()); return old; end $$;
         create trigger note before delete on runs for each row execute function note()`,
      );
      await store.hideRuns(ids, 1);
      expect((await store.purgeRuns(2)).sort()).toEqual(ids);
      expect(server.sql(url, 'select count(distinct xid) from purged')).toBe('3');
      expect(server.sql(url, 'select (select count(*) from runs) + (select count(*) from events)')).toBe('0');
    });

    it('forks a run with its images although another process deletes it meanwhile', async () => {
      const url = server.newDatabase();
      const [a, b] = [await open(url), await open(url)];
      await a.importRun(sampleFile(completedLog({ runId: 'source' })));
      const image = { hash: 'h', type: 'png' as const, data: Buffer.from([1]) };
      await a.keepImages('source', [image]);
      server.sql(
        url,
        `create function wait() returns trigger language plpgsql as $$
           begin perform pg_sleep(1); return new; end $$;
         create trigger wait before insert on runs for each row execute function wait()`,
      );
      const parent = { run_id: 'source', seq: 2 };
      const forking = a.fork({ id: 'fork', config: sampleConfig(), parent, events: [warned('Forked.')] });
      const waiting = `select count(*) from pg_stat_activity where wait_event = 'PgSleep'`;
      await vi.waitFor(() => expect(server.sql(url, waiting)).toBe('1'));
      await b.deleteRun('source');
      expect(await forking).toEqual({ runId: 'fork', created: true });
      expect(await a.imagesOf('fork')).toEqual([{ hash: 'h', bytes: 1 }]);
      expect(await a.summary('source')).toBeUndefined();
    });

    it('removes the import of a killed or frozen process, which can no longer complete it', async () => {
      const url = server.newDatabase();
      const [importer, other] = [await open(url), await open(url, { leaseMs: 100 })];
      const rows = () => server.sql(url, `select count(*) from events where run_id = 'a'`);
      const { summary, events } = sampleFile(longLog(600, { runId: 'a' }));
      const key = { runId: 'a', importId: 'frozen' };
      await importer.imports.beginImport(summary, 'frozen');
      await importer.imports.addToImport(key, events.slice(0, 300).map(toEventRow));
      await delay(300); // none of several passes removes an import whose lease is valid
      expect(rows()).toBe('300');
      server.sql(url, `update leases set until = '-infinity' where run_id = 'a'`);
      await vi.waitFor(() => expect(rows()).toBe('0'));
      expect(await other.summary('a')).toBeUndefined();
      const next = importer.imports.addToImport(key, events.slice(300).map(toEventRow));
      await expect(next).rejects.toMatchObject({ code: 'import_interrupted' });
      const publish = importer.imports.publishImport(key);
      await expect(publish).rejects.toMatchObject({ code: 'import_interrupted' });
      expect(rows()).toBe('0');
    });

    it('accepts operator actions for a run held by another process, only at the end of its log', async () => {
      const url = server.newDatabase();
      const [holder, other] = [await open(url), await open(url)];
      await holder.create({ id: 'a', config: sampleConfig() });
      const stop = { type: 'stop.requested', force: false, by: 'operator' } as const;
      await interveneIn(other, 'a', { expectedSeq: 1, events: [stop] });
      const { epoch, lastSeq } = await holder.claim('a', 'w');
      expect(lastSeq).toBe(2);
      const old = interveneIn(other, 'a', { expectedSeq: 1, events: [stop] });
      await expect(old).rejects.toMatchObject({ code: 'seq_conflict' });
      await appendTo(holder, 'a', { epoch, expectedSeq: 2, events: [warned('on')] });
      expect(await other.summary('a')).toMatchObject({ last_seq: 3, stop_requested: true });
    });
  });

  it('reports why polling failed, unless the database does not respond', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const url = server.newDatabase();
    await open(url, { lookMs: 20 });
    await server.restart();
    expect(said).not.toHaveBeenCalled();
    server.sql(url, 'alter table runs rename to others');
    await expect
      .poll(() => said.mock.calls.flat().join(' '), { timeout: 20_000 })
      .toContain('Looking for what');
    server.sql(url, 'alter table others rename to runs');
    said.mockRestore();
  });

  it('leaves a damaged event out of the search, and no other', async () => {
    const url = server.newDatabase(migrated);
    const store = await open(url);
    await store.create({ id: 'a', config: sampleConfig() });
    await store.create({ id: 'b', config: sampleConfig({ task: 'A fox' }) });
    server.sql(url, `update events set body = 'no JSON' where run_id = 'a'`);
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { runs, behind } = await store.search('fox', { limit: 9 });
    expect(log).toHaveBeenCalledExactlyOnceWith(
      'An event was left out of the search index:',
      expect.objectContaining({ message: expect.stringContaining('event 1 of run a') }),
    );
    log.mockRestore();
    expect(behind).toBe(0);
    expect(runs).toMatchObject([{ run_id: 'b' }]);
  });

  it('searches a database that takes no writes, and says what it is behind', async () => {
    const url = server.newDatabase(migrated);
    const store = await open(url);
    await store.create({ id: 'a', config: sampleConfig({ task: 'A fox' }) });
    expect(await store.search('fox', { limit: 9 })).toMatchObject({ runs: [{ run_id: 'a' }], behind: 0 });
    const name = new URL(url).pathname.slice(1);
    server.sql(url, `alter database ${name} set default_transaction_read_only = on`);
    server.sql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    server.sql(url, 'begin read write; update runs set indexed_seq = 0; commit');
    expect(await store.search('fox', { limit: 9 })).toMatchObject({ runs: [{ run_id: 'a' }], behind: 1 });
  });

  it('asks over a new connection whether the database answers if an idle one was closed', async () => {
    const url = server.newDatabase(migrated);
    const store = await open(url);
    const name = new URL(url).pathname.slice(1);
    // Blocks this process, which then uses a connection before it has seen the end of it.
    for (let times = 0; times < 5; times++) {
      expect(await store.condition()).toEqual({ answers: true });
      server.sql(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      );
    }
    expect(await store.condition()).toEqual({ answers: true });
    await server.crash();
    expect(await store.condition()).toEqual({ answers: false });
    await server.restart();
    expect(await store.condition()).toEqual({ answers: true });
  });

  it('asks once whether the database answers if it takes the connection and says nothing', async () => {
    let connections = 0;
    const silent = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
    });
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const database = new PostgresDatabase(`postgres://u@127.0.0.1:${port}/d`, { patienceMs: 0 });
    const asked = database.runOnNewIfLost({ sql: 'select 1', parameters: [] });
    await expect(asked).rejects.toMatchObject({ code: 'store_busy' });
    expect(connections).toBe(1);
    await database.close();
    silent.close();
  });

  it('waits for a database that takes no writes, and writes once over a connection to one that does', async () => {
    const url = server.newDatabase(migrated);
    const store = await open(url, { patienceMs: 20_000 });
    await store.create({ id: 'a', config: sampleConfig() });
    const { epoch } = await store.claim('a', 'w');
    const name = new URL(url).pathname.slice(1);
    const setReadOnly = (value: 'on' | 'off') =>
      server.sql(
        url,
        `begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`,
      );
    setReadOnly('on');
    server.sql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    const impatient = new PostgresDatabase(url, { patienceMs: 0 });
    const refused = impatient.transaction((run) =>
      run({ sql: 'update runs set recoveries = 5', parameters: [] }),
    );
    await expect(refused).rejects.toMatchObject({
      code: 'store_busy',
      message: expect.stringContaining('takes no writes at the moment: cannot execute UPDATE'),
    });
    await expect(PostgresRunStore.open(url, { patienceMs: 0 })).rejects.toMatchObject({
      code: 'store_not_writable',
    });
    const appended = appendTo(store, 'a', { epoch, expectedSeq: 1, events: [warned('kept')] });
    const created = store.create({ id: 'b', config: sampleConfig() });
    const answered = Promise.race([appended, created]).then(() => 'answered');
    expect(await Promise.race([answered, delay(500, 'waits')])).toBe('waits');
    setReadOnly('off');
    await Promise.all([appended, created]);
    expect(await store.read('a', { afterSeq: 1, limit: 9 })).toMatchObject([{ message: 'kept' }]);
    await impatient.transaction((run) => run({ sql: 'update runs set recoveries = 0', parameters: [] }));
    await impatient.close();
  });

  it('updates the search index without an error when the database is back', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const url = server.newDatabase();
    const store = await open(url);
    await store.create({ id: 'a', config: sampleConfig({ task: 'Find the needle' }) });
    await server.crash();
    // Longer than the pause after a burst of appends, so that the index tries while nothing answers.
    await delay(1000);
    await server.restart();
    await expect
      .poll(() => server.sql(url, 'select count(*) from search_rows'), { timeout: 20_000 })
      .toBe('1');
    expect(errors.mock.calls).toEqual([]);
    errors.mockRestore();
  });

  it('uses the database’s clock', async () => {
    const url = server.newDatabase();
    const store = await open(url);
    const clock = () => Number(server.sql(url, 'select extract(epoch from clock_timestamp()) * 1000'));
    const before = clock();
    const now = await store.now();
    expect([now >= Math.floor(before), now <= clock()]).toEqual([true, true]);
  });

  it('waits for a restarting database, and appends once', async () => {
    const store = await open(server.newDatabase(), { patienceMs: 30_000 });
    await store.create({ id: 'a', config: sampleConfig() });
    const { epoch } = await store.claim('a', 'w');
    let seq = 1;
    let going = true;
    const appending = (async () => {
      while (going) {
        await appendTo(store, 'a', { epoch, expectedSeq: seq, events: [warned(String(seq))] });
        seq += 1;
      }
    })();
    for (let round = 0; round < 3; round++) {
      const before = seq;
      await vi.waitFor(() => expect(seq).toBeGreaterThan(before + 20), { timeout: 20_000 });
      await server.restart();
    }
    going = false;
    await appending;
    const log = await store.read('a', { afterSeq: 1, limit: 100_000 });
    expect(log.map((event) => 'message' in event && event.message)).toEqual(
      Array.from({ length: seq - 1 }, (_, index) => String(index + 1)),
    );
  });

  it('does a transaction again that the server ended because this process was frozen in it', async () => {
    const database = new PostgresDatabase(server.newDatabase(), { patienceMs: 20_000 });
    const freeze = async (run: Run) => {
      await run({ sql: 'set local idle_in_transaction_session_timeout = 50', parameters: [] });
      // While this process is blocked, it does not notice the end of its connection.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    };
    const done = database.whenAnswered((tries) =>
      database.transaction(async (run) => {
        if (tries === 0) await freeze(run);
        return run({ sql: 'select 1 as one', parameters: [] });
      }),
    );
    expect(await done).toEqual([{ one: 1 }]);
    await database.close();
  });

  it('recognizes its own append if only the answer was lost', async () => {
    const direct = server.newDatabase();
    const wire = await cuttableWire(direct);
    const store = await PostgresRunStore.open(wire.url, { patienceMs: 20_000 });
    const witness = await open(direct);
    for (let round = 0; round < 5; round++) {
      const id = `run-${round}`;
      wire.cutNextAnswerTo('commit');
      expect(await store.create({ id, config: sampleConfig() })).toMatchObject({ runId: id, created: true });
      const { epoch } = await store.claim(id, 'w');
      wire.cutNextAnswerTo('loupe_append');
      const appended = await appendTo(store, id, {
        epoch,
        expectedSeq: 1,
        events: [warned('x'), warned('y')],
      });
      expect(await witness.read(id, { afterSeq: 1, limit: 10 })).toEqual(appended);
      await appendTo(store, id, { epoch, expectedSeq: 3, events: [warned('z')] });
    }
    expect(wire.cuts).toBe(10);
    await store.close();
    wire.close();
  });

  it('does not ask a person to send a message again that may be stored', async () => {
    const direct = server.newDatabase(migrated);
    const wire = await cuttableWire(direct);
    const store = await open(wire.url, { patienceMs: 0 });
    await store.create({ id: 'a', config: sampleConfig() });
    const message = { type: 'operator.messaged', message_id: 'm1', text: 'Hello.' } as const;
    wire.cutNextAnswerTo('loupe_intervene');
    await expect(interveneIn(store, 'a', { expectedSeq: 1, events: [message] })).rejects.toMatchObject({
      code: 'store_busy',
      hint: expect.stringContaining('Look at run a before'),
    });
    expect(await store.read('a', { afterSeq: 1, limit: 9 })).toMatchObject([{ text: 'Hello.' }]);
    wire.close();
  });

  it('gives out a run again that it claimed without an answer', async () => {
    const direct = server.newDatabase(migrated);
    const wire = await cuttableWire(direct);
    const store = await open(wire.url, { leaseMs: 3_600_000 });
    await store.create({ id: 'a', config: sampleConfig() });
    wire.cutNextAnswerTo('commit');
    expect(await store.claimFree('a', anywhere)).toBeUndefined();
    expect(wire.cuts).toBe(1);
    expect((await store.free()).map(({ id }) => id)).toEqual(['a']);
    expect(await store.claimFree('a', anywhere)).toEqual({ epoch: 2, lastSeq: 1 });
    expect(await store.free()).toEqual([]);
    wire.close();
  });

  it('creates an experiment once if only the answer was lost, and stores nothing again', async () => {
    const direct = server.newDatabase(migrated);
    // Another process may have continued it when the second attempt is made.
    server.sql(
      direct,
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'Stored again'; end $$;
       create trigger refuse before update on experiments for each row execute function refuse()`,
    );
    const wire = await cuttableWire(direct);
    const store = await open(wire.url);
    const plan = experimentRequest.parse({ name: 'Once', models: ['m'] });
    const summary: ExperimentSummary = {
      ...{ id: 'exp', name: 'Once', mode: 'explore', status: 'waiting', created_at: 1, updated_at: 1 },
      ...{ total: 0, done: 0, failed: 0, plan },
    };
    const key = { key: 'key', request_hash: 'hash' };
    wire.cutNextAnswerTo('commit');
    expect(await store.createExperiment({ summary, items: [], key })).toBeUndefined();
    expect(wire.cuts).toBe(1);
    expect(await store.experiments()).toEqual([summary]);
    wire.close();
  });

  it('gives one of two processes a key that both use at the same moment', async () => {
    const url = server.newDatabase(migrated);
    const stores = [await open(url), await open(url)];
    const plan = experimentRequest.parse({ name: 'Once', models: ['m'] });
    const create = (store: PostgresRunStore, id: string, key: string) =>
      store.createExperiment({
        summary: {
          ...{ id, name: 'Once', mode: 'explore', status: 'waiting', created_at: 1, updated_at: 1 },
          ...{ total: 0, done: 0, failed: 0, plan },
        },
        items: [],
        key: { key, request_hash: 'hash' },
      });
    for (let round = 0; round < 10; round += 1) {
      const used = await Promise.all(
        stores.map((store, index) => create(store, `exp-${round}-${index}`, `key-${round}`)),
      );
      expect(used.filter((use) => use === undefined)).toHaveLength(1);
    }
    expect(await stores[0]?.experiments()).toHaveLength(10);
  });

  it('says that a run may exist if only the answer to its creation was lost', async () => {
    const direct = server.newDatabase(migrated);
    const wire = await cuttableWire(direct);
    const store = await open(wire.url, { patienceMs: 0 });
    const refused = async (id: string) =>
      store.create({ id, config: sampleConfig() }).catch((error) => error);
    wire.cutNextAnswerTo('begin');
    const certain = await refused('a');
    expect([certain.code, certain.name]).toEqual(['store_busy', 'AppError']);
    await store.now(); // connected again
    wire.cutNextAnswerTo('commit');
    expect(await refused('b')).toMatchObject({
      code: 'store_busy',
      name: 'RunMayExistError',
      hint: expect.stringContaining('Run b may have been created'),
    });
    expect(await store.list({ limit: 9 })).toMatchObject([{ id: 'b' }]);
    wire.close();
  });

  it('recognizes its own append if only the answer was lost, although a person acted meanwhile', async () => {
    const direct = server.newDatabase(migrated);
    const wire = await cuttableWire(direct);
    const store = await open(wire.url, { patienceMs: 0 });
    await store.create({ id: 'a', config: sampleConfig() });
    const { epoch } = await store.claim('a', 'w');
    const { placed, ...growth } = await growthAfter(store, 'a', { expectedSeq: 1, events: [warned('once')] });
    wire.cutNextAnswerTo('loupe_append');
    await expect(store.append('a', { epoch, ...growth })).rejects.toMatchObject({ code: 'store_busy' });
    const [added] = await interveneIn(store, 'a', { expectedSeq: 2, events: [warned('a person')] });
    // The log of its worker tries again.
    await store.append('a', { epoch, ...growth });
    expect(await store.read('a', { afterSeq: 1, limit: 10 })).toEqual([...placed, added]);
    wire.close();
  });

  it('gives up a dead connection, and appends once over another', async () => {
    const direct = server.newDatabase(migrated);
    const wire = await cuttableWire(direct, { silently: true });
    const store = await open(wire.url, { patienceMs: 20_000, answerMs: 300 });
    for (const id of ['a', 'b']) {
      wire.cutNextAnswerTo('begin');
      await store.create({ id, config: sampleConfig() });
      const { epoch } = await store.claim(id, 'w');
      wire.cutNextAnswerTo('loupe_append');
      await appendTo(store, id, { epoch, expectedSeq: 1, events: [warned('once')] });
      expect(await store.read(id, { afterSeq: 0, limit: 9 })).toHaveLength(2);
    }
    expect(wire.cuts).toBe(4);
    wire.close();
  });

  it('hears of other processes again after the connection for it led nowhere from the start', async () => {
    const direct = server.newDatabase(migrated);
    const wire = await cuttableWire(direct, { silently: true });
    wire.cutNextAnswerTo('listen');
    const [reader, writer] = [await open(wire.url, { lookMs: 20, answerMs: 300 }), await open(direct)];
    expect(wire.cuts).toBe(1);
    const heard: string[] = [];
    reader.onBroadcast((message) => heard.push(message));
    await vi.waitFor(async () => {
      await writer.broadcast(['hello']);
      expect(heard).not.toEqual([]);
    });
    wire.close();
  });

  it('probes idle connections, also the one that notifications arrive on, so that none is silently lost for hours', async () => {
    const probed = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const store = await open(server.newDatabase(migrated));
    await store.now();
    const delays = probed.mock.calls.map(([enabled, delayMs]) => enabled && delayMs);
    probed.mockRestore();
    expect(delays.length).toBeGreaterThanOrEqual(2);
    expect(new Set(delays)).toEqual(new Set([30_000]));
  });

  it('counts a recovery and a view once, saves, deletes and restores, if only the answer was lost', async () => {
    const direct = server.newDatabase();
    const wire = await cuttableWire(direct);
    const store = await PostgresRunStore.open(wire.url, { patienceMs: 20_000 });
    await store.create({ id: 'a', config: sampleConfig() });
    for (const time of [1, 2]) {
      wire.cutNextAnswerTo('update "runs" set "recoveries"');
      expect(await store.beginRecovery('a')).toBe(time);
    }
    const token_hash = 'a'.repeat(64);
    const link = { id: 's', run_id: 'a', token_hash, title: 'A', scope: 'everything' } as const;
    await store.addShare({ ...link, show: [], created_at: 1, expires_at: 9, views: 0 });
    for (const at of [5, 6]) {
      wire.cutNextAnswerTo('update shares set views');
      await store.countShareView('s', at);
    }
    await store.countShareView('s', 6);
    expect(await store.shares()).toMatchObject([{ views: 3, last_viewed_at: 6 }]);
    const preset = { id: 'p', name: 'P', run: {}, created_at: 1, updated_at: 1 };
    wire.cutNextAnswerTo('insert into "presets"');
    expect(await store.createPreset(preset)).toBe(true);
    wire.cutNextAnswerTo('update "presets"');
    expect(await store.updatePreset('p', { name: 'Q', updated_at: 2 })).toMatchObject({ name: 'Q' });
    wire.cutNextAnswerTo('delete from "presets"');
    expect(await store.deletePreset('p')).toBe(true);
    expect([await store.deletePreset('p'), await store.presets()]).toEqual([false, []]);
    const signIn = { label: 'A browser', created_at: 1, last_seen_at: 1 };
    await store.addSignIn({ id: 'i', cookie_hash: 'c', key_hash: 'k', ...signIn }, 9);
    wire.cutNextAnswerTo('delete from "sign_ins"');
    expect(await store.deleteSignIns(['i'])).toEqual(['i']);
    expect([await store.deleteSignIns(['i']), await store.signIns()]).toEqual([[], []]);
    server.sql(direct, `insert into standing_approvals values ('run_command', '/work', 's', 'a', 1, 1)`);
    wire.cutNextAnswerTo('delete from "standing_approvals"');
    expect(await store.revokeStandingApprovals(['s'])).toEqual(['s']);
    expect([await store.revokeStandingApprovals(['s']), await store.standingApprovals()]).toEqual([[], []]);
    await store.importRun(sampleFile(completedLog({ runId: 'b' })));
    await store.hideRuns(['b'], 1);
    wire.cutNextAnswerTo('"deleted_at" = ');
    expect(await store.restoreRuns(['b'])).toEqual(['b']);
    expect(wire.cuts).toBe(10);
    await store.close();
    wire.close();
  });
});

/**
 * A connection to the database that can break after a statement has arrived and before its answer has.
 *
 * @param to the URL of the database; `url` is the one over this connection
 * @param options.silently the connection stays open, but nothing arrives any more, as when a machine loses power
 */
async function cuttableWire(to: string, { silently = false } = {}) {
  let cutAt: string | undefined;
  const cutNextAnswerTo = (text: string) => {
    cutAt = text;
  };
  const url = new URL(to);
  const port = Number(url.port);
  const wire = { url: '', cuts: 0, cutNextAnswerTo, close: () => {} };
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let cut = false;
    let counted = false;
    near.on('data', (data) => {
      if (cutAt !== undefined && data.includes(cutAt)) {
        cutAt = undefined;
        cut = true;
      }
      far.write(data);
    });
    far.on('data', (data) => {
      if (!cut) return near.write(data);
      if (!counted) wire.cuts += 1;
      counted = true;
      if (!silently) near.destroy();
    });
    near.on('close', () => far.destroy()).on('error', () => far.destroy());
    far.on('close', () => near.destroy()).on('error', () => near.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  url.port = String(typeof address === 'object' && address ? address.port : 0);
  wire.url = url.href;
  wire.close = () => proxy.close();
  return wire;
}
