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
import { completedLog, repairedLog, sampleConfig } from '../testing/sample-logs.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { SqliteRunStore } from './sqlite-store.ts';
import { describeRunStore } from './store-contract.ts';

const small = { ballastMegabytes: 1 };

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

it('keeps its files for their owner alone and its journal safe against power loss', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  expect((statSync(directory).mode & 0o777).toString(8)).toBe('700');
  for (const file of ['loupe.db', 'loupe.db-wal', 'lock.db', 'ballast']) expect(modeOf(file)).toBe('600');
  await store.close();
});

it('lets a second process know who holds the data directory', async () => {
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

it('refuses a database of a newer version and leaves it as it is', async () => {
  await SqliteRunStore.open(directory, small).close();
  const database = new Database(join(directory, 'loupe.db'));
  database.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  database.close();
  expect(() => SqliteRunStore.open(directory, small)).toThrow(/written by a newer Loupe/);
  const untouched = new Database(join(directory, 'loupe.db'));
  expect(untouched.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION + 1);
  untouched.close();
});

it('P17: counts the replies of a database that an older version wrote', async () => {
  const store = SqliteRunStore.open(directory, small);
  for (const [index, events] of [repairedLog().events, completedLog().events].entries()) {
    await store.create({ id: `run-${index}`, config: sampleConfig() });
    const { epoch } = await store.claim(`run-${index}`, 'worker');
    await store.append(`run-${index}`, { epoch, expectedSeq: 1, events: events.slice(1) });
  }
  const counted = await store.readings();
  expect(counted.get(sampleConfig().model)?.repaired).toBeGreaterThan(0);
  await store.close();
  const database = new Database(join(directory, 'loupe.db'));
  database.exec('drop table model_counts; drop table experiment_items; drop table experiments');
  database.exec('alter table runs drop column cycles');
  database.pragma('user_version = 1');
  database.close();
  const migrated = SqliteRunStore.open(directory, small);
  expect(await migrated.readings()).toEqual(counted);
  await migrated.close();
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
  for (const path of [file, join(file, 'below')]) {
    expect(() => SqliteRunStore.open(path, small)).toThrow(
      expect.objectContaining({ code: 'data_directory_unusable', message: expect.stringContaining(path) }),
    );
  }
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
  await store.append('a', { epoch, expectedSeq: 1, events: [warned('kept')] });
  // What is on disk at the moment of the acknowledgement, without anything that closing would add.
  const snapshot = mkdtempSync(join(tmpdir(), 'loupe-power-'));
  for (const file of ['loupe.db', 'loupe.db-wal']) copyFileSync(join(directory, file), join(snapshot, file));
  await store.close();
  const after = SqliteRunStore.open(snapshot, small);
  expect(await after.readOne('a', 2)).toMatchObject({ message: 'kept' });
  await after.close();
  rmSync(snapshot, { recursive: true });
});

it('fault matrix: opens beside a cut-off journal with the events before the cut, in order and without a gap', async () => {
  const store = SqliteRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  const { epoch } = await store.claim('a', 'worker');
  for (let seq = 1; seq <= 50; seq++) {
    await store.append('a', { epoch, expectedSeq: seq, events: [warned('x'.repeat(2000))] });
  }
  const cut = mkdtempSync(join(tmpdir(), 'loupe-cut-'));
  copyFileSync(join(directory, 'loupe.db'), join(cut, 'loupe.db'));
  const journal = readFileSync(join(directory, 'loupe.db-wal'));
  writeFileSync(join(cut, 'loupe.db-wal'), journal.subarray(0, Math.floor(journal.length * 0.6)));
  await store.close();
  const after = SqliteRunStore.open(cut, small);
  const events = await after.read('a', { afterSeq: 0, limit: 100 });
  expect(events.length).toBeGreaterThan(1);
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
  const append = () => store.append('a', { epoch, expectedSeq: 1, events: [warned('once')] });
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
      await store.append('a', { epoch, expectedSeq: index + 1, events: [warned(`${index}`)] });
    }
    await store.close();
    // The next process begins with the clock as it is, which the log is ahead of.
    const database = new Database(join(directory, 'loupe.db'));
    database.exec('update events set at = at + 172800000 where seq = 5');
    database.close();
    const next = SqliteRunStore.open(directory, small);
    await next.append('a', { epoch, expectedSeq: 5, events: [warned('next')] });
    const events = await next.read('a', { afterSeq: 0, limit: 10 });
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((x, y) => x - y));
    await next.close();
  } finally {
    vi.useRealTimers();
  }
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
