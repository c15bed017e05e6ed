import { setImmediate as turn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { z } from 'zod';
import { indexedText } from '../sql-reader.ts';
import { corruptStore, isStoreBusy, StorageFullError, storeError } from '../store-errors.ts';
import type { DiskRoom } from './disk-room.ts';

/** A burst of appends is over when nothing arrived for this long; its events are then indexed together. */
const QUIET_MS = 400;
/** Events indexed per transaction, which bounds how long an append waits. */
const BATCH_EVENTS = 100;
/** How often a full disk is checked for space, in milliseconds. */
const FULL_RETRY_MS = 10_000;

const backlogRow = z.object({ id: z.string(), indexed_seq: z.number() });
const seqRow = z.object({ seq: z.number() });

/**
 * Indexes the log for full-text search some time after it was written, so that appends do not wait for it. The row of
 * each run stores how far it is indexed, and is updated in the same transaction, so nothing is skipped or indexed twice
 * if the process dies; logs older than the index are a backlog like any other. On a full disk it waits, so that the
 * reserve is left to deletions and the ends of runs.
 */
export class SearchIndex {
  readonly #database: Database.Database;
  readonly #room: Pick<DiskRoom, 'refusal' | 'ranOut'>;
  readonly #selectBacklog: Database.Statement<[]>;
  readonly #selectEvents: Database.Statement<[string, number, number]>;
  readonly #insertRow: Database.Statement<[string, number]>;
  readonly #insertText: Database.Statement<[number | bigint, string]>;
  readonly #moveOn: Database.Statement<[number, string]>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(database: Database.Database, room: Pick<DiskRoom, 'refusal' | 'ranOut'>) {
    this.#database = database;
    this.#room = room;
    this.#selectBacklog = database.prepare(
      'select id, indexed_seq from runs where indexed_seq < last_seq order by created_at limit 1',
    );
    // Includes deleted runs: one left in the backlog would block all that follow.
    this.#selectEvents = database.prepare(
      'select run_id, seq, at, body from events where run_id = ? and seq > ? order by seq limit ?',
    );
    this.#insertRow = database.prepare('insert into search_rows (run_id, seq) values (?, ?)');
    this.#insertText = database.prepare('insert into search_texts (rowid, text) values (?, ?)');
    this.#moveOn = database.prepare('update runs set indexed_seq = ? where id = ?');
  }

  /** Call after an append: it is indexed when the burst is over. */
  soon(): void {
    this.#after(QUIET_MS);
  }

  /** Indexes stored events for a limited time; appends run between batches. The reader reports the rest as `behind`. */
  async catchUp(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!this.#closed && !this.#room.refusal() && this.#takeBatch() && performance.now() < deadline) {
      await turn();
    }
    this.soon();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#work(), ms);
    this.#timer.unref?.();
  }

  #work(): void {
    if (this.#closed) return;
    if (this.#room.refusal()) this.#after(FULL_RETRY_MS);
    else if (this.#takeBatch()) this.#after(0); // pending appends run in between
  }

  /** Returns whether there may be more. */
  #takeBatch(): boolean {
    try {
      return this.#database
        .transaction(() => {
          const row = this.#selectBacklog.get();
          if (row === undefined) return false;
          const { id, indexed_seq } = backlogRow.parse(row);
          let last: number | undefined;
          for (const row of this.#selectEvents.all(id, indexed_seq, BATCH_EVENTS)) {
            const { seq } = seqRow.parse(row);
            last = seq;
            const text = indexedText(row, (where, cause) => corruptStore(this.#database.name, cause, where));
            if (text === '') continue;
            this.#insertText.run(this.#insertRow.run(id, seq).lastInsertRowid, text);
          }
          if (last !== undefined) this.#moveOn.run(last, id);
          return last !== undefined;
        })
        .immediate();
    } catch (error) {
      // The log is complete, only the search is behind. A locked database or a full disk is retried automatically;
      // after any other error, the next append tries again.
      const known = storeError(error, this.#database.name);
      if (isStoreBusy(known)) this.soon();
      else if (known instanceof StorageFullError) {
        this.#room.ranOut();
        this.#after(FULL_RETRY_MS);
      } else console.error('The search index could not be brought up to date:', known);
      return false;
    }
  }
}
