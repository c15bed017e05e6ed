import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { AppError } from '../errors/app-error.ts';
import { prepareDataDirectory } from '../store/data-directory.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import { DATABASE_FILE, SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { ThreadedRunStore } from '../store/sqlite/threaded-store.ts';
import type { Store } from '../store/store.ts';
import { isStorageFull } from '../store/store-errors.ts';

/** The store of this installation. */
export interface OpenedStore {
  store: Store;
  kind: 'sqlite' | 'postgres';
  /** The file, or the database URL without its password. */
  path: string;
  /** The same store, if several processes share it. */
  shared?: SharedRunStore;
  /** Whether the store currently responds, and why it accepts no writes if the reason is not a full disk. */
  condition(): Promise<{ answers: boolean; read_only?: { message: string; hint?: string } }>;
  /** Resolves once this process must stop, because a later version of Loupe has migrated the database that they share. */
  outdated?: Promise<AppError>;
  /** Stores this server's URL for a second start. */
  announce(url: string): Promise<void>;
}

/**
 * Opens the SQLite file in the data directory, or the configured PostgreSQL database.
 *
 * @throws {AppError} from `ThreadedRunStore.open` and `PostgresRunStore.open`
 */
export async function openStore({ dataDir, databaseUrl, leaseSeconds }: Environment): Promise<OpenedStore> {
  if (databaseUrl === undefined) {
    const store = await openSqlite(dataDir);
    return {
      store,
      kind: 'sqlite',
      path: store.path,
      condition: async () => ({ answers: true }),
      announce: async (url) => store.announce({ pid: process.pid, url }),
    };
  }
  prepareDataDirectory(dataDir);
  // Imported lazily, because most installations never need the driver.
  const { PostgresRunStore } = await import('../store/postgres/postgres-store.ts');
  const store = await PostgresRunStore.open(databaseUrl, { leaseMs: leaseSeconds * 1000 });
  return {
    store,
    kind: 'postgres',
    path: store.path,
    shared: store,
    condition: () => store.condition(),
    outdated: store.outdated,
    announce: async () => undefined, // several processes are expected
  };
}

/**
 * On a disk without space even for the shared memory of two connections, opens the database read-only with one connection
 * in this thread.
 */
async function openSqlite(dataDir: string): Promise<ThreadedRunStore | SqliteRunStore> {
  const isNew = !existsSync(join(dataDir, DATABASE_FILE));
  try {
    return await ThreadedRunStore.open(dataDir);
  } catch (error) {
    if (isNew || !isStorageFull(error)) throw error;
    return SqliteRunStore.open(dataDir, { exclusive: true });
  }
}
