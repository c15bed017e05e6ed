import type Database from 'better-sqlite3';
import { runIdRow } from '../annotation-statements.ts';
import { DELETED } from '../schema.ts';

/** Rows removed per transaction. */
const SLICE_ROWS = 500;

/**
 * Removes deleted runs in short transactions. On a full disk, the journal of each has to fit into the reserve, and appends
 * run in between.
 */
export class DeletedRuns {
  readonly #selectNext: Database.Statement<[number]>;
  readonly #deleteTexts: Database.Statement<[string, number]>;
  readonly #deleteEvents: Database.Statement<[string, number]>;
  readonly #deleteRun: Database.Statement<[string]>;

  constructor(database: Database.Database) {
    this.#selectNext = database.prepare(
      `select id from runs where epoch = ${DELETED} and deleted_at < ? order by deleted_at limit 1`,
    );
    this.#deleteTexts = database.prepare(
      'delete from search_rows where id in (select id from search_rows where run_id = ? limit ?)',
    );
    // First events first: the search index can proceed as long as the last event of a run exists.
    this.#deleteEvents = database.prepare(
      `delete from events where rowid in (select rowid from events where run_id = ? order by seq limit ?)`,
    );
    this.#deleteRun = database.prepare('delete from runs where id = ?');
  }

  /**
   * Removes some rows of the runs that were deleted before a time, in milliseconds since 1970. Call it in a
   * transaction.
   *
   * @returns the runs that are now removed completely, and whether there are more
   */
  removeSlice(before: number): { gone: string[]; hasMore: boolean } {
    const gone: string[] = [];
    for (let left = SLICE_ROWS; left > 0; ) {
      const row = this.#selectNext.get(before);
      if (row === undefined) return { gone, hasMore: false };
      const { id } = runIdRow.parse(row);
      left -= this.#deleteTexts.run(id, left).changes;
      if (left > 0) left -= this.#deleteEvents.run(id, left).changes;
      if (left <= 0) break;
      this.#deleteRun.run(id);
      gone.push(id);
      left -= 1;
    }
    return { gone, hasMore: true };
  }
}
