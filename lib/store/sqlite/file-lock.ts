import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { sqliteCode, storeError } from '../store-errors.ts';

/**
 * A lock of the operating system (through SQLite) on a separate file, so that it is released immediately after kill -9.
 */
export class FileLock {
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  /** @returns `undefined` while another process, or another part of this one, has it */
  static take(path: string): FileLock | undefined {
    let database: Database.Database | undefined;
    try {
      database = new Database(path, { timeout: 0 });
      chmodSync(path, 0o600);
      // Keep the journal in memory, so that locking needs no other file, even on a full disk.
      database.pragma('journal_mode = MEMORY');
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      database?.close();
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) return undefined;
      throw storeError(error, path);
    }
    return new FileLock(database);
  }

  release(): void {
    this.#database.close();
  }
}
