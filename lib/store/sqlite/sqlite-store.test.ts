import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunConfig } from '../../events/config.ts';
import type { NewEvent } from '../../events/registry.ts';
import { appendTo } from '../../testing/append-to.ts';
import { completedLog, repairedLog, sampleConfig, sampleFile } from '../../testing/sample-logs.ts';
import { stoppedSessionLog } from '../../testing/sample-modes.ts';
import { unmarkedLoss } from '../../testing/store-contract/samples.ts';
import { describeRunStore } from '../../testing/store-contract.ts';
import { durationsOf, storeDurations } from '../../testing/stored-durations.ts';
import { FAMILIES_AND_FOLDERS, familiesAndFolders, storeFamilies } from '../../testing/stored-families.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { SqliteRunStore } from './sqlite-store.ts';

/** Removes the tables and columns that are newer than suites. */
const DROP_NEWER =
  'alter table runs drop column worked_ms; alter table runs drop column turns; drop table experiment_cases; drop table run_images; drop table benchmark_results; drop table benchmarks; drop table request_keys;';

const small = { ballastMegabytes: 1 };
/** Columns of the last step of the schema. */
const OUTCOME_COLUMNS = ['outcome', 'checks_failed', 'checks_total'];

describeRunStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loupe-store-'));
  const subject = {
    store: SqliteRunStore.open(directory, small),
    async reopen() {
      await subject.store.close();
      subject.store = SqliteRunStore.open(directory, small);
      return subject.store;
    },
    async dispose() {
      await subject.store.close();
      rmSync(directory, { recursive: true });
    },
    imports: () => subject.store,
  };
  return subject;
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'loupe-store-'));
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

const modeOf = (name: string) => (statSync(join(directory, name)).mode & 0o777).toString(8);

it('claims a run for the worker that creates it', async () => {
  const store = SqliteRunStore.open(directory, small);
  const run = { id: 'a', config: sampleConfig(), idempotencyKey: 'key', worker: 'worker' };
  expect(await store.create(run)).toMatchObject({ runId: 'a', created: true, first: { seq: 1 } });
  expect(await store.create({ ...run, id: 'b' })).toEqual({ runId: 'a', created: false });
  expect(await store.claim('a', 'another')).toEqual({ epoch: 2, lastSeq: 1 });
  await store.close();
});

it('keeps its files for their owner alone and its journal safe against power loss', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  expect((statSync(directory).mode & 0o777).toString(8)).toBe('700');
  for (const file of ['loupe.db', 'loupe.db-wal', 'lock.db', 'ballast']) expect(modeOf(file)).toBe('600');
  await store.close();
});

/** An ended run with a log of about 4 MB, and another one after it. */
async function storeLargeRun(): Promise<SqliteRunStore> {
  const store = SqliteRunStore.open(directory, small);
  for (const id of ['large', 'small']) await store.create({ id, config: sampleConfig() });
  const { epoch } = await store.claim('large', 'worker');
  const warned = { type: 'policy.warned', code: 'test', message: 'x'.repeat(40_000) } as const;
  const ended = completedLog().events.at(-1);
  if (ended?.type !== 'run.ended') throw new Error('The sample has no end');
  const { run_id: _run, seq: _seq, at: _at, ...end } = ended;
  const events: NewEvent[] = [...Array.from({ length: 100 }, () => warned), end];
  await appendTo(store, 'large', { epoch, expectedSeq: 1, events });
  return store;
}

const databaseSize = () => statSync(join(directory, 'loupe.db')).size;

it('gives the room of a deleted run back to the file system', async () => {
  const store = await storeLargeRun();
  await store.deleteRun('large');
  await vi.waitFor(() => expect(databaseSize()).toBeLessThan(1_000_000));
  expect(await store.summary('small')).toBeDefined();
  await store.close();
});

it('makes the database of an earlier version one that can shrink, with all of its runs', async () => {
  await (await storeLargeRun()).close();
  const path = join(directory, 'loupe.db');
  const earlier = new Database(path);
  earlier.pragma('auto_vacuum = NONE');
  earlier.exec('VACUUM');
  expect(earlier.pragma('auto_vacuum', { simple: true })).toBe(0);
  earlier.close();

  const store = SqliteRunStore.open(directory, small);
  expect(await store.read('large', { afterSeq: 0, limit: 1000 })).toHaveLength(102);
  expect(databaseSize()).toBeGreaterThan(4_000_000);
  await store.deleteRun('large');
  await vi.waitFor(() => expect(databaseSize()).toBeLessThan(1_000_000));
  await store.close();
});

it('reads through a separate connection, without the file that connections share', async () => {
  await (await storeLargeRun()).close();
  const store = SqliteRunStore.open(directory, { ...small, exclusive: true });
  expect(existsSync(join(directory, 'loupe.db-shm'))).toBe(false);
  expect(await store.read('large', { afterSeq: 0, limit: 1000 })).toHaveLength(102);
  await store.close();
});

it('tells a second process which one holds the data directory', async () => {
  const store = SqliteRunStore.open(directory, small);
  store.announce({ pid: process.pid, url: 'http://127.0.0.1:4120' });
  const second = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { SqliteRunStore } = await import(${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)});
       try { SqliteRunStore.open(${JSON.stringify(directory)}); } catch (error) { console.log(error.code, error.message); }`,
    ],
    { encoding: 'utf8' },
  );
  expect(second.stdout).toContain(
    `already_running Loupe is already running with the data directory ${directory}`,
  );
  expect(second.stdout).toContain(`(process ${process.pid}, http://127.0.0.1:4120)`);
  await store.close();
  const next = SqliteRunStore.open(directory, small);
  await next.close();
});

it('refuses a database of a newer version and leaves it unchanged', async () => {
  await SqliteRunStore.open(directory, small).close();
  const database = new Database(join(directory, 'loupe.db'));
  database.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  database.close();
  expect(() => SqliteRunStore.open(directory, small)).toThrow(/written by a newer Loupe/);
  const untouched = new Database(join(directory, 'loupe.db'));
  expect(untouched.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION + 1);
  untouched.close();
});

it('counts the replies of a database that an older version wrote [P17]', async () => {
  const store = SqliteRunStore.open(directory, small);
  for (const [index, events] of [repairedLog().events, completedLog().events].entries()) {
    await store.create({ id: `run-${index}`, config: sampleConfig() });
    const { epoch } = await store.claim(`run-${index}`, 'worker');
    await appendTo(store, `run-${index}`, { epoch, expectedSeq: 1, events: events.slice(1) });
  }
  const counted = await store.readings();
  expect(counted.get(sampleConfig().model)?.repaired).toBeGreaterThan(0);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  dropAnnotations(database);
  database.exec(
    `${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history; drop table presets; drop table standing_approvals; drop table sign_ins; drop table model_prices; drop table model_checks; drop table shares; drop table model_counts; drop table experiment_items; drop table experiments`,
  );
  database.exec('drop table search_rows; drop table search_texts');
  database.exec('drop index runs_forks; drop index runs_unindexed');
  const added = [
    'cycles',
    'parent_id',
    'parent_seq',
    'indexed_seq',
    'imported_at',
    'tokens_estimated',
    'cost_usd',
  ];
  for (const column of [...added, ...OUTCOME_COLUMNS]) {
    database.exec(`alter table runs drop column ${column}`);
  }
  database.pragma('user_version = 1');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await migrated.readings()).toEqual(counted);
  await migrated.close();
});

it('the migration finds the families and folders of older runs', async () => {
  const store = SqliteRunStore.open(directory, small);
  await storeFamilies(store);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  dropAnnotations(database);
  database.exec(`${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history`);
  database.pragma('user_version = 15');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await familiesAndFolders(migrated)).toEqual(FAMILIES_AND_FOLDERS);
  await migrated.close();
});

it('the migration finds the durations of older runs, without their waits', async () => {
  const store = SqliteRunStore.open(directory, small);
  const durations = await storeDurations(store);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  database.exec(
    'alter table runs drop column worked_ms; alter table runs drop column turns; drop table request_keys',
  );
  database.pragma('user_version = 21');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await durationsOf(migrated)).toEqual(durations);
  await migrated.close();
});

it('the migration counts the turns of older sessions', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.importRun(sampleFile(stoppedSessionLog({ runId: 'session' })));
  await store.importRun(sampleFile(completedLog({ runId: 'task' })));
  const turnsOf = async (opened: SqliteRunStore) => [
    (await opened.summary('session'))?.turns,
    (await opened.summary('task'))?.turns,
  ];
  expect(await turnsOf(store)).toEqual([4, 0]);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  database.exec('alter table runs drop column turns');
  database.pragma('user_version = 23');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await turnsOf(migrated)).toEqual([4, 0]);
  await migrated.close();
});

it('keeps the experiments of a database without keys, and takes keys from then on', async () => {
  const store = SqliteRunStore.open(directory, small);
  await storeFamilies(store);
  const before = await store.experiments();
  expect(before).toHaveLength(1);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  database.exec('alter table runs drop column turns; drop table request_keys');
  database.pragma('user_version = 22');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await migrated.experiments()).toEqual(before);
  const [summary] = before;
  if (!summary) throw new Error('no experiment in the sample');
  const key = { key: 'key', request_hash: 'hash' };
  const create = (id: string) => migrated.createExperiment({ summary: { ...summary, id }, items: [], key });
  expect(await create('new')).toBeUndefined();
  expect(await create('again')).toEqual({ id: 'new', request_hash: 'hash' });
  await migrated.close();
});

it('the migration counts the dropped calls of older logs', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'old', config: sampleConfig() });
  const { epoch } = await store.claim('old', 'worker');
  await appendTo(store, 'old', { epoch, expectedSeq: 1, events: unmarkedLoss });
  expect((await store.readings()).get(sampleConfig().model)).toMatchObject({ replies: 2, malformed: 0 });
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  for (const column of [...OUTCOME_COLUMNS, 'tokens_estimated', 'cost_usd'])
    database.exec(`alter table runs drop column ${column}`);
  dropAnnotations(database);
  database.exec(
    `${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history; drop table presets; drop table standing_approvals; drop table sign_ins; drop table model_prices`,
  );
  database.pragma('user_version = 9');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect((await migrated.readings()).get(sampleConfig().model)).toMatchObject({ replies: 2, malformed: 1 });
  await migrated.close();
});

it('fills in the outcome of runs that ended before it was stored', async () => {
  const store = SqliteRunStore.open(directory, small);
  const check = { type: 'file_contains', path: 'a', text: '"passed":false' } as const;
  const checked = (failed: number): NewEvent => ({
    ...{ type: 'verification.checked', attempt: 1, outcome: 'partial_pass' },
    checks: [true, true, true].map((_, index) => ({
      ...{ check, passed: index >= failed, output: '"cut":true, "passed":false', duration_ms: 1 },
    })),
  });
  const parsed = completedLog().events.findLast((event) => event.type === 'reply.parsed');
  const started = { type: 'verification.started', attempt: 1, reason: 'final_answer', output: '' } as const;
  const end = completedLog().events.at(-1);
  if (parsed?.type !== 'reply.parsed' || end?.type !== 'run.ended') throw new Error('no end in the sample');
  const said = '"cut":true';
  const logs: [Partial<RunConfig>, NewEvent[]][] = [
    [{}, [{ ...parsed, text: said }, end]],
    [{}, [{ ...parsed, cut: true }, end]],
    [{}, [parsed, started, checked(1), { ...end, verification: 'partial_pass' }]],
    [{}, [parsed, started, checked(0), { ...end, verification: 'pass' }]],
    [{ mode: 'explore' }, [end]],
    [{}, [parsed, { ...end, result: { ...end.result, termination_reason: 'stall' } }]],
    [{}, [parsed]],
  ];
  for (const [index, [config, events]] of logs.entries()) {
    await store.create({ id: `run-${index}`, config: sampleConfig(config) });
    const { epoch } = await store.claim(`run-${index}`, 'worker');
    await appendTo(store, `run-${index}`, { epoch, expectedSeq: 1, events });
  }
  const outcomes = async (from: SqliteRunStore) =>
    Promise.all(logs.map(async (_, index) => (await from.summary(`run-${index}`))?.outcome));
  const stored = await outcomes(store);
  expect(stored).toEqual([
    { kind: 'answered' },
    { kind: 'answered_cut_off' },
    { kind: 'answered_checks_failed', checks: { failed: 1, total: 3 } },
    { kind: 'answered', checks: { failed: 0, total: 3 } },
    { kind: 'cycles_done' },
    { kind: 'stall' },
    undefined,
  ]);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  for (const column of [...OUTCOME_COLUMNS, 'cost_usd'])
    database.exec(`alter table runs drop column ${column}`);
  dropAnnotations(database);
  database.exec(
    `${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history; drop table presets; drop table standing_approvals; drop table sign_ins; drop table model_prices`,
  );
  database.pragma('user_version = 10');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await outcomes(migrated)).toEqual(stored);
  await migrated.close();
});

it('finds words in logs that are older than the search, and in no deleted log', async () => {
  const store = SqliteRunStore.open(directory, small);
  for (const id of ['old', 'gone']) {
    await store.create({ id, config: sampleConfig({ task: `The aardvark of ${id}` }) });
    const { epoch } = await store.claim(id, 'worker');
    await appendTo(store, id, { epoch, expectedSeq: 1, events: completedLog().events.slice(1) });
  }
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  dropAnnotations(database);
  database.exec(
    `${DROP_NEWER} drop table suite_versions; drop table suites; drop table model_check_history; drop table presets; drop table standing_approvals; drop table sign_ins; drop table model_prices; drop table model_checks; drop table search_rows; drop table search_texts; drop index runs_unindexed`,
  );
  for (const column of ['indexed_seq', 'imported_at', 'tokens_estimated', 'cost_usd', ...OUTCOME_COLUMNS])
    database.exec(`alter table runs drop column ${column}`);
  // The seventh step added the search.
  database.pragma('user_version = 6');
  database.close();
  const again = SqliteRunStore.open(directory, small);
  const found = async () => (await again.search('aardvark', { limit: 9 })).runs.map((run) => run.run_id);
  expect(await found()).toEqual(['gone', 'old']);
  const hand = new Database(join(directory, 'loupe.db'));
  hand.pragma('foreign_keys = ON');
  hand.prepare('delete from runs where id = ?').run('gone');
  expect(hand.prepare('select count(*) as n from search_rows where run_id = ?').get('gone')).toEqual({
    n: 0,
  });
  hand.exec("insert into search_texts (search_texts, rank) values ('integrity-check', 0)");
  hand.close();
  expect(await found()).toEqual(['old']);
  await again.close();
});

it('indexes a log after the burst without a search, however the process ends', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  const { epoch } = await store.claim('a', 'worker');
  await appendTo(store, 'a', { epoch, expectedSeq: 1, events: completedLog().events.slice(1) });
  const reader = SqliteReader.open(store.path);
  expect((await reader.search('notes', { limit: 1 })).behind).toBeGreaterThan(0);
  await vi.waitFor(async () => expect((await reader.search('notes', { limit: 1 })).behind).toBe(0), 10_000);
  reader.close();
  await store.close();
});

it.each([
  [
    'no database at all',
    (path: string) => writeFileSync(path, 'this is not a database, it only has its name '.repeat(100)),
  ],
  [
    'a damaged first page',
    (path: string) => {
      const bytes = readFileSync(path);
      bytes.fill(0xff, 100, 400);
      writeFileSync(path, bytes);
    },
  ],
])('refuses %s, keeps the file and says so', async (_, damage) => {
  const path = join(directory, 'loupe.db');
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  await store.close();
  damage(path);
  const before = readFileSync(path);
  expect(() => SqliteRunStore.open(directory, small)).toThrow(
    expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining(path) }),
  );
  expect(readFileSync(path).equals(before)).toBe(true);
});

it('names the data directory when it cannot be made or is a file', () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  for (const [path, reason] of [
    [file, 'it is not a folder'],
    [join(file, 'below'), 'a part of its path is not a folder'],
  ] as const) {
    expect(() => SqliteRunStore.open(path, small)).toThrow(
      expect.objectContaining({
        code: 'data_directory_unusable',
        message: `The data directory ${path} cannot be used: ${reason}.`,
      }),
    );
  }
});

it.runIf(process.platform === 'linux')('does not hang where no folder can be made', () => {
  expect(() => SqliteRunStore.open('/proc/loupe/data', small)).toThrow(
    'The data directory /proc/loupe/data cannot be used: it cannot be created there.',
  );
});

const warned = (message: string) => ({ type: 'policy.warned', code: 'test', message }) as const;

it('fault matrix: asks the disk for every commit, so that power loss takes no acknowledged event', async () => {
  const asked = vi.spyOn(Database.prototype, 'pragma');
  const store = SqliteRunStore.open(directory, small);
  const settings = asked.mock.calls.map(([text]) => text);
  expect(settings).toEqual(expect.arrayContaining(['journal_mode = WAL', 'synchronous = FULL']));
  asked.mockRestore();
  await store.create({ id: 'a', config: sampleConfig() });
  const { epoch } = await store.claim('a', 'worker');
  await appendTo(store, 'a', { epoch, expectedSeq: 1, events: [warned('kept')] });
  // The data on disk at the moment of the acknowledgement, without anything that closing would add.
  const snapshot = mkdtempSync(join(tmpdir(), 'loupe-power-'));
  for (const file of ['loupe.db', 'loupe.db-wal']) copyFileSync(join(directory, file), join(snapshot, file));
  await store.close();
  const after = SqliteRunStore.open(snapshot, small);
  expect(await after.readOne('a', 2)).toMatchObject({ message: 'kept' });
  await after.close();
  rmSync(snapshot, { recursive: true });
});

it('extends its journal after the start, so that a commit overwrites it', async () => {
  const store = SqliteRunStore.open(directory, small);
  const journal = join(directory, 'loupe.db-wal');
  await vi.waitFor(() => expect(statSync(journal).size).toBeGreaterThan(4_000_000), 20_000);
  await store.create({ id: 'a', config: sampleConfig() });
  expect(await store.read('a', { afterSeq: 0, limit: 10 })).toHaveLength(1);
  await store.close();
});

it('fault matrix: opens beside a cut-off journal with the events before the cut, in order and without a gap', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  const { epoch } = await store.claim('a', 'worker');
  for (let seq = 1; seq <= 50; seq++) {
    await appendTo(store, 'a', { epoch, expectedSeq: seq, events: [warned('x'.repeat(2000))] });
  }
  const cut = mkdtempSync(join(tmpdir(), 'loupe-cut-'));
  copyFileSync(join(directory, 'loupe.db'), join(cut, 'loupe.db'));
  const journal = readFileSync(join(directory, 'loupe.db-wal'));
  writeFileSync(
    join(cut, 'loupe.db-wal'),
    journal.subarray(0, Math.floor(journal.lastIndexOf('xxxx') * 0.6)),
  );
  await store.close();
  const after = SqliteRunStore.open(cut, small);
  const events = await after.read('a', { afterSeq: 0, limit: 100 });
  expect(events.length).toBeGreaterThan(1);
  expect(events.length).toBeLessThan(51);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect((await after.summary('a'))?.last_seq).toBe(events.length);
  await after.close();
  rmSync(cut, { recursive: true });
});

it('fault matrix: a locked database makes writers wait, then says so, and changes nothing; readers never wait', async () => {
  const store = SqliteRunStore.open(directory, { ...small, busyPatienceMs: 100 });
  await store.create({ id: 'a', config: sampleConfig() });
  const { epoch } = await store.claim('a', 'worker');
  const other = new Database(join(directory, 'loupe.db'));
  other.exec('begin immediate');
  const append = () => appendTo(store, 'a', { epoch, expectedSeq: 1, events: [warned('once')] });
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 5);
  await expect(append()).rejects.toMatchObject({ code: 'store_busy' });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(3);
  expect(await store.read('a', { afterSeq: 0, limit: 10 })).toHaveLength(1);
  const waiting = append();
  other.exec('rollback');
  other.close();
  expect(await waiting).toMatchObject([{ seq: 2, message: 'once' }]);
  await store.close();
});

it('fault matrix: with a clock that jumps a day, events keep their order and no time runs backwards', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const begin = Date.now();
    const store = SqliteRunStore.open(directory, small);
    await store.create({ id: 'a', config: sampleConfig() });
    const { epoch } = await store.claim('a', 'worker');
    for (const [index, days] of [0, -1, 1, 0].entries()) {
      vi.setSystemTime(begin + days * 86_400_000);
      await appendTo(store, 'a', { epoch, expectedSeq: index + 1, events: [warned(`${index}`)] });
    }
    await store.close();
    // The log is ahead of the clock with which the next process starts.
    const database = new Database(join(directory, 'loupe.db'));
    database.exec('update events set at = at + 172800000 where seq = 5');
    database.close();
    const next = SqliteRunStore.open(directory, small);
    await appendTo(next, 'a', { epoch, expectedSeq: 5, events: [warned('next')] });
    const events = await next.read('a', { afterSeq: 0, limit: 10 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((x, y) => x - y));
    await next.close();
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ['no JSON', `update events set body = '{"type":"run.cr' where seq = 1`],
  ['of another type', `update events set type = 'run.ended' where seq = 1`],
  [
    'with a sequence number in its body',
    `update events set body = json_insert(body, '$.seq', 7) where seq = 1`,
  ],
])('tells of a damaged event that is %s, and does not hand it on as text', async (_, damage) => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  const database = new Database(join(directory, 'loupe.db'));
  database.exec(damage);
  database.close();
  await expect(store.readTexts('a', { afterSeq: 0, limit: 10, maxChars: 1000 })).rejects.toThrow(
    expect.objectContaining({ code: 'store_corrupt', message: expect.stringContaining('event 1 of run a') }),
  );
  await store.close();
});

it('leaves a damaged event out of the search, and no other', async () => {
  const store = SqliteRunStore.open(directory, small);
  for (const id of ['a', 'b']) {
    await store.create({ id, config: sampleConfig() });
    const { epoch } = await store.claim(id, 'worker');
    await appendTo(store, id, { epoch, expectedSeq: 1, events: [warned('a fox'), warned('a fox again')] });
  }
  const database = new Database(join(directory, 'loupe.db'));
  database.exec(`update events set body = 'no JSON' where run_id = 'a' and seq = 2`);
  database.close();
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { runs, behind } = await store.search('fox', { limit: 9 });
  expect(log).toHaveBeenCalledExactlyOnceWith(
    'An event was left out of the search index:',
    expect.objectContaining({ message: expect.stringContaining('event 2 of run a') }),
  );
  log.mockRestore();
  expect(behind).toBe(0);
  expect(runs.flatMap(({ hits }) => hits.map((hit) => `${hit.run_id}:${hit.seq}`))).toEqual([
    'b:3',
    'b:2',
    'a:3',
  ]);
  await store.close();
});

it('hands on an event that somebody wrote over several lines as one line', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  const [before] = await store.read('a', { afterSeq: 0, limit: 1 });
  const database = new Database(join(directory, 'loupe.db'));
  database.exec(`update events set body = ' ' || json_pretty(body) where seq = 1`);
  database.close();
  const [text] = await store.readTexts('a', { afterSeq: 0, limit: 10, maxChars: 1000 });
  expect(text?.json).not.toMatch(/\n/);
  expect(JSON.parse(text?.json ?? '')).toEqual(before);
  await store.close();
});

it('gives the lock back when opening fails', async () => {
  const path = join(directory, 'loupe.db');
  writeFileSync(path, 'x'.repeat(5000));
  expect(() => SqliteRunStore.open(directory, small)).toThrow(/damaged/);
  rmSync(path);
  const store = SqliteRunStore.open(directory, small);
  expect(existsSync(path)).toBe(true);
  await store.close();
});

/** Reverts a database to the schema before annotations. */
function dropAnnotations(database: Database.Database): void {
  database.exec('drop table annotations; drop index runs_family; drop index runs_deleted');
  for (const column of ['family', 'folder', 'deleted_at']) {
    database.exec(`alter table runs drop column ${column}`);
  }
}
