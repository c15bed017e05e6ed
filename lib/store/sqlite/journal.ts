import { closeSync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { freeBytes } from '../data-directory.ts';
import { isStoreBusy, StorageFullError, storeError } from '../store-errors.ts';

/** A commit may go past the size at which SQLite checkpoints the journal and writes it from its beginning. */
const MARGIN = 1.1;
/** After the work at a start or a deletion, in milliseconds. Most stores that are opened for one command close earlier. */
const LATER_MS = 1000;
/** With less free space than this, in bytes, the journal grows only as it must. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;
/** A small page cache, so that the pages of a transaction go to the journal before its end. */
const SPILLING_CACHE_PAGES = 20;

/** Checkpoints the journal into the database and empties it. While others read, this is postponed. */
export function checkpoint(database: Database.Database): void {
  ifPossible(database, () => database.pragma('wal_checkpoint(TRUNCATE)'));
}

/** Extends the journal while nothing else is to be done. */
export class JournalExtender {
  readonly #database: Database.Database;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#extend(), LATER_MS);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #extend(): void {
    try {
      extendJournal(this.#database);
    } catch (error) {
      console.error(
        'The journal of the database could not be extended:',
        storeError(error, this.#database.name),
      );
    }
  }
}

/**
 * Extends the journal to the size that it usually has. `fdatasync` after overwriting a part of a file takes half the time
 * of one after appending to it, because the file system has no new blocks to record (docs/decisions/0083). While others
 * write, or on a disk with little space, the journal grows as it must.
 */
export function extendJournal(database: Database.Database): void {
  const path = `${database.name}-wal`;
  const bytes = number(database, 'wal_autocheckpoint') * number(database, 'page_size');
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= bytes || freeBytes(dirname(path)) < MIN_FREE_BYTES) return;
  if (!ifPossible(database, () => writeAndRollBack(database, MARGIN * bytes))) {
    checkpoint(database);
    return;
  }
  const journal = openSync(path, 'r');
  try {
    fdatasyncSync(journal);
  } finally {
    closeSync(journal);
  }
}

/** What a transaction wrote to the journal before it was rolled back stays in the file, and counts for nothing. */
function writeAndRollBack(database: Database.Database, bytes: number): void {
  const cached = number(database, 'cache_size');
  database.pragma(`cache_size = ${SPILLING_CACHE_PAGES}`);
  try {
    database.exec('begin immediate; create table journal_space (content)');
    database.prepare('insert into journal_space values (zeroblob(?))').run(Math.ceil(bytes));
  } finally {
    if (database.inTransaction) database.exec('rollback');
    database.pragma(`cache_size = ${cached}`);
  }
}

function number(database: Database.Database, pragma: string): number {
  return Number(database.pragma(pragma, { simple: true }));
}

/** Whether it was done. @throws any error but a locked database and a full disk */
function ifPossible(database: Database.Database, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    const known = storeError(error, database.name);
    if (!isStoreBusy(known) && !(known instanceof StorageFullError)) throw known;
    return false;
  }
}
