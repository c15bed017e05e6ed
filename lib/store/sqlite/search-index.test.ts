import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { StorageFullError } from '../store-errors.ts';
import { SearchIndex } from './search-index.ts';
import { SqliteRunStore } from './sqlite-store.ts';

let directory: string;
let database: Database.Database;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'loupe-search-index-'));
  const store = SqliteRunStore.open(directory, { ballastMegabytes: 1 });
  const task = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ');
  await store.create({ id: 'run', config: sampleConfig({ task }) });
  await store.close();
  database = new Database(store.path);
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  database.close();
  rmSync(directory, { recursive: true });
});

function indexedSeq(): unknown {
  return database.prepare("select indexed_seq from runs where id = 'run'").pluck().get();
}

it('waits while the disk is full, and continues once there is room', () => {
  let full = true;
  const refusal = () => (full ? new StorageFullError(directory) : undefined);
  const index = new SearchIndex(database, { refusal, ranOut: () => undefined });
  index.soon();
  vi.advanceTimersByTime(60_000);
  expect(indexedSeq()).toBe(0);
  full = false;
  vi.advanceTimersByTime(10_000);
  expect(indexedSeq()).toBe(1);
  index.close();
});

it('reports a full disk that it meets, and tries again', () => {
  const ranOut = vi.fn();
  const pages = Number(database.pragma('page_count', { simple: true }));
  database.pragma(`max_page_count = ${pages}`);
  const index = new SearchIndex(database, { refusal: () => undefined, ranOut });
  index.soon();
  vi.advanceTimersByTime(1000);
  expect(ranOut).toHaveBeenCalledOnce();
  expect(indexedSeq()).toBe(0);
  database.pragma(`max_page_count = ${2 * pages}`);
  vi.advanceTimersByTime(10_000);
  expect(indexedSeq()).toBe(1);
  index.close();
});
