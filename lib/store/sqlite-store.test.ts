import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
  database.exec('drop table model_counts');
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

it('gives the lock back when opening fails', async () => {
  const path = join(directory, 'loupe.db');
  writeFileSync(path, 'x'.repeat(5000));
  expect(() => SqliteRunStore.open(directory, small)).toThrow(/damaged/);
  rmSync(path);
  const store = SqliteRunStore.open(directory, small);
  expect(existsSync(path)).toBe(true);
  await store.close();
});
