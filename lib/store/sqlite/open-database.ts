import { chmodSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { corruptStore, sqliteCode } from '../store-errors.ts';
import { convertWhenSmall } from './compactor.ts';
import { migrate } from './migrations.ts';
import { BUSY_PATIENCE_MS } from './when-free.ts';

/** Above this size, checking every page would slow down the start; damage is then found when it is read. */
const QUICK_CHECK_BYTES = 256 * 1024 * 1024;

/** Opens the file, checks it and migrates its schema. @throws SQLite's error, after closing the database */
export function openDatabase(
  path: string,
  { exclusive = false }: { exclusive?: boolean },
): Database.Database {
  const database = new Database(path, { timeout: BUSY_PATIENCE_MS });
  try {
    chmodSync(path, 0o600);
    if (exclusive) database.pragma('locking_mode = EXCLUSIVE');
    // Only takes effect in an empty database, and would write to any other; those use `convertWhenSmall`.
    if (statSync(path).size === 0) database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma('trusted_schema = OFF');
    checkPages(database, path);
    migrate(database, path);
    convertWhenSmall(database, path);
    // From here on, never wait inside SQLite, which blocks the thread.
    database.pragma('busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws {AppError} `store_corrupt`: a damaged database is refused at startup and never silently recreated */
function checkPages(database: Database.Database, path: string): void {
  try {
    if (statSync(path).size > QUICK_CHECK_BYTES) {
      database.prepare('select count(*) from sqlite_schema').get();
      return;
    }
    const found = database.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw corruptStore(path, new Error(String(found)));
  } catch (error) {
    throw sqliteCode(error) === 'SQLITE_ERROR' ? corruptStore(path, error) : error;
  }
}
