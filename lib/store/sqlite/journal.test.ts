import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkpoint, extendJournal } from './journal.ts';
import { openDatabase } from './open-database.ts';

let folder: string;
let path: string;
let database: Database.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-journal-'));
  path = join(folder, 'loupe.db');
  database = openDatabase(path, {});
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

function journalBytes(): number {
  return statSync(`${path}-wal`).size;
}

function addCounts(from: number, to: number): void {
  const add = database.prepare("insert into model_counts (model, counter, count) values ('tiny', ?, 1)");
  for (let index = from; index < to; index += 1) add.run(`counter-${index}`);
}

function counted(in_: Database.Database): unknown {
  return in_.prepare('select count(*) from model_counts').pluck().get();
}

describe('extendJournal', () => {
  it('gives the journal room for all pages before the next checkpoint', () => {
    extendJournal(database);
    const extended = journalBytes();
    const [pages = 0, pageBytes = 0] = ['wal_autocheckpoint', 'page_size'].map((name) =>
      Number(database.pragma(name, { simple: true })),
    );
    expect(extended).toBeGreaterThan(pages * pageBytes);
    addCounts(0, 100);
    expect(journalBytes()).toBe(extended);
  });

  it('changes neither the database nor what a statement prepared earlier does', () => {
    const select = database.prepare('select name from sqlite_schema order by name').pluck();
    const before = select.all();
    const cached = database.pragma('cache_size', { simple: true });
    addCounts(0, 3);
    extendJournal(database);
    expect(select.all()).toEqual(before);
    expect(counted(database)).toBe(3);
    expect(database.pragma('page_count', { simple: true })).toBeLessThan(200);
    expect(database.pragma('cache_size', { simple: true })).toBe(cached);
    expect(database.pragma('quick_check', { simple: true })).toBe('ok');
  });

  it('leaves what was committed before and after it readable after a crash', () => {
    addCounts(0, 3);
    extendJournal(database);
    for (const added of [0, 4]) {
      addCounts(3, 3 + added);
      const copy = join(folder, `crashed-${added}.db`);
      for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
      const recovered = new Database(copy);
      expect(recovered.pragma('quick_check', { simple: true })).toBe('ok');
      expect(counted(recovered)).toBe(3 + added);
      expect(recovered.prepare("select 1 from sqlite_schema where name = 'journal_space'").get()).toBe(
        undefined,
      );
      recovered.close();
    }
  });

  it('extends a journal that a checkpoint has emptied', () => {
    extendJournal(database);
    const extended = journalBytes();
    checkpoint(database);
    expect(journalBytes()).toBe(0);
    extendJournal(database);
    expect(journalBytes()).toBeGreaterThan(0.9 * extended);
  });

  it('leaves the journal as it is while another connection writes', () => {
    const other = new Database(path);
    other.exec('begin immediate');
    const before = journalBytes();
    extendJournal(database);
    expect(journalBytes()).toBe(before);
    expect(database.inTransaction).toBe(false);
    other.exec('rollback');
    other.close();
  });
});
