import { StorageFullError } from '../store-errors.ts';
import type { PostgresDatabase, Run } from './postgres-database.ts';

/** What fits on one page of a table, of 8 KB. */
const PAGE_CHARS = 7000;
/** 8 MB. */
const PAGES = 1024;
/** Any number that no other program uses in this database: who holds it makes the reserve. */
const RESERVE_LOCK = 0x10_09_e7;

/**
 * A table of nothing beside the events, as the ballast is a file beside the SQLite database: when the disk is full, giving
 * it up leaves room to write down how the running runs ended. Dropped, since emptying a table would need new files.
 */
export class PostgresReserve {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Puts the table there. Returns `false` when the disk has no room for it. */
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

  /** Whether the disk takes the reserve and as much again. */
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

  /** Gives the space back. Another process may have done so a moment ago. */
  async release(): Promise<void> {
    await this.#database.run({ sql: 'drop table if exists loupe_reserve', parameters: [] });
  }
}

async function makeTable(run: Run, name: 'loupe_reserve' | 'loupe_room'): Promise<void> {
  await run({ sql: `create table ${name} (nothing text)`, parameters: [] });
  // Neither packed nor put elsewhere: the table is as large as its texts.
  await run({ sql: `alter table ${name} alter column nothing set storage plain`, parameters: [] });
  await run({
    sql: `insert into ${name} select repeat('0', $1) from generate_series(1, $2)`,
    parameters: [PAGE_CHARS, PAGES],
  });
}
