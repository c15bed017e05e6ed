import type { Environment } from '../config/environment.ts';
import { prepareDataDirectory } from '../store/data-directory.ts';
import type { RunStore } from '../store/run-store.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import { ThreadedRunStore } from '../store/sqlite/threaded-store.ts';

/** The store of this installation, whichever it is. */
export interface OpenedStore {
  store: RunStore;
  kind: 'sqlite' | 'postgres';
  /** The file, or the database without its password. */
  path: string;
  /** The same store, where several processes work on it. */
  shared?: SharedRunStore;
  /** Whether it answers at the moment. */
  answers(): Promise<boolean>;
  /** Tells a second start where this server is reached. */
  announce(url: string): Promise<void>;
}

/**
 * Opens the SQLite file of the data directory, or the PostgreSQL database of the settings.
 *
 * @throws {AppError} what `ThreadedRunStore.open` and `PostgresRunStore.open` throw
 */
export async function openStore({ dataDir, databaseUrl, leaseSeconds }: Environment): Promise<OpenedStore> {
  if (databaseUrl === undefined) {
    const store = await ThreadedRunStore.open(dataDir);
    return {
      store,
      kind: 'sqlite',
      path: store.path,
      answers: async () => true,
      announce: (url) => store.announce({ pid: process.pid, url }),
    };
  }
  prepareDataDirectory(dataDir);
  // Only here: most never load the driver.
  const { PostgresRunStore } = await import('../store/postgres/postgres-store.ts');
  const store = await PostgresRunStore.open(databaseUrl, { leaseMs: leaseSeconds * 1000 });
  return {
    store,
    kind: 'postgres',
    path: store.path,
    shared: store,
    answers: () => store.answers(),
    announce: async () => undefined, // several processes are meant to be
  };
}
