import { StorageFullError } from '../store-errors.ts';
import type { PostgresDatabase } from './postgres-database.ts';

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

  /** Puts the table there; when the disk has no room for it, there is none. */
  async fill(): Promise<void> {
    try {
      await this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [RESERVE_LOCK] });
        const [found] = await run({ sql: `select to_regclass('loupe_reserve') as name`, parameters: [] });
        if (found?.name !== null) return;
        await run({ sql: 'create table loupe_reserve (nothing text)', parameters: [] });
        // Neither packed nor put elsewhere: the table is as large as its texts.
        await run({
          sql: 'alter table loupe_reserve alter column nothing set storage plain',
          parameters: [],
        });
        await run({
          sql: `insert into loupe_reserve select repeat('0', $1) from generate_series(1, $2)`,
          parameters: [PAGE_CHARS, PAGES],
        });
      });
    } catch (error) {
      // A disk without room for the reserve is left with what room it has.
      if (!(error instanceof StorageFullError)) throw error;
    }
  }

  /** Gives the space back. Another process may have done so a moment ago. */
  async release(): Promise<void> {
    await this.#database.run({ sql: 'drop table if exists loupe_reserve', parameters: [] });
  }
}
