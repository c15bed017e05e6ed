import { StorageFullError } from '../store-errors.ts';
import type { PostgresDatabase, Run } from './postgres-database.ts';

/** Bytes that fit on one 8 KB page of a table. */
const PAGE_CHARS = 7000;
/** 8 MB. */
const PAGES = 1024;
/** An advisory lock key that no other program uses in this database; its holder creates the reserve. */
const RESERVE_LOCK = 0x10_09_e7;

/**
 * A table of filler, like the ballast file of the SQLite store: when the disk is full, dropping it leaves space to
 * write how the active runs ended. It is dropped, because emptying a table would need new files.
 */
export class PostgresReserve {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Creates the table. Returns `false` if the disk has no space for it. */
  async fill(): Promise<boolean> {
    try {
      await this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [RESERVE_LOCK] });
        const [found] = await run({ sql: `select to_regclass('loupe_reserve') as name`, parameters: [] });
        if (found?.name !== null) return;
        await makeTable(run, 'loupe_reserve');
      });
      return true;
    } catch (error) {
      // If there is no space for the reserve, leave the rest of the disk free.
      if (!(error instanceof StorageFullError)) throw error;
      return false;
    }
  }

  /** Whether the disk has space for twice the reserve. */
  async hasRoom(): Promise<boolean> {
    if (!(await this.fill())) return false;
    try {
      await this.#database.transaction(async (run) => {
        await makeTable(run, 'loupe_room');
        await run({ sql: 'drop table loupe_room', parameters: [] });
      });
      return true;
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error;
      return false;
    }
  }

  /** Releases the space. Another process may have just done so. */
  async release(): Promise<void> {
    await this.#database.run({ sql: 'drop table if exists loupe_reserve', parameters: [] });
  }
}

async function makeTable(run: Run, name: 'loupe_reserve' | 'loupe_room'): Promise<void> {
  await run({ sql: `create table ${name} (nothing text)`, parameters: [] });
  // Neither compressed nor moved out of line, so that the table is as large as its texts.
  await run({ sql: `alter table ${name} alter column nothing set storage plain`, parameters: [] });
  await run({
    sql: `insert into ${name} select repeat('0', $1) from generate_series(1, $2)`,
    parameters: [PAGE_CHARS, PAGES],
  });
}
