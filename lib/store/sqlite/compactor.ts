import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { freeBytes } from '../data-directory.ts';
import { isStoreBusy, StorageFullError, storeError } from '../store-errors.ts';
import type { DiskRoom } from './disk-room.ts';
import { checkpoint, JournalExtender } from './journal.ts';

/** Pages moved per transaction (2 MB), so that its journal fits into a part of the reserve. */
const SLICE_PAGES = 500;
/** How long after a deletion, in milliseconds: several deletions in a row are compacted together. */
const SOON_MS = 50;
const BUSY_RETRY_MS = 500;
/** `auto_vacuum` of a database whose file can shrink page by page. */
const INCREMENTAL = 2;
/** A larger database made by an earlier version keeps its size: rewriting it would make the start too slow. */
const CONVERT_BYTES = 512 * 1024 * 1024;

/**
 * Returns the space of deleted runs to the file system slice by slice, so that appends can run in between. Then gives
 * the journal its usual size back.
 */
export class Compactor {
  readonly #database: Database.Database;
  readonly #room: DiskRoom;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #journal: JournalExtender;
  #closed = false;

  constructor(database: Database.Database, room: DiskRoom) {
    this.#database = database;
    this.#room = room;
    this.#journal = new JournalExtender(database);
  }

  soon(): void {
    this.#after(SOON_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#journal.close();
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#work(), ms);
    this.#timer.unref?.();
  }

  #work(): void {
    try {
      const before = this.#freePages();
      if (before > 0) {
        this.#database.pragma(`incremental_vacuum(${SLICE_PAGES})`);
        checkpoint(this.#database);
        this.#room.reclaim();
      }
      if (this.#freePages() < before) this.#after(0);
      else this.#journal.later();
    } catch (error) {
      const known = storeError(error, this.#database.name);
      if (isStoreBusy(known)) this.#after(BUSY_RETRY_MS);
      else if (known instanceof StorageFullError && this.#room.giveRoom()) this.#after(0);
      else console.error('The space of deleted runs could not be released:', known);
    }
  }

  #freePages(): number {
    return Number(this.#database.pragma('freelist_count', { simple: true }));
  }
}

/** Converts a small database of an earlier version to one whose file can shrink, if there is enough space. */
export function convertWhenSmall(database: Database.Database, path: string): void {
  if (database.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) return;
  const { size } = statSync(path);
  // Rewriting takes the size of the database twice: in the journal and in a temporary file.
  if (size > CONVERT_BYTES || freeBytes(dirname(path)) < 3 * size) return;
  try {
    database.pragma('auto_vacuum = INCREMENTAL');
    database.exec('VACUUM');
    checkpoint(database);
  } catch (error) {
    const known = storeError(error, path);
    if (!isStoreBusy(known) && !(known instanceof StorageFullError)) throw known; // retried at the next start
  }
}
