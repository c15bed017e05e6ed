import { setImmediate as turn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { z } from 'zod';
import type { RunSummary } from '../../api/run-summary.ts';
import { importedAnnotations } from '../annotation-statements.ts';
import type { EventRow } from '../event-row.ts';
import {
  type ImportKey,
  type ImportSteps,
  importInterrupted,
  importUnderWay,
  SLICE_ROWS,
} from '../import-run.ts';
import { importingRow } from '../run-row.ts';
import { DELETED, FAMILY_OF_PARENT, IMPORTING, sqlite } from '../schema.ts';
import { StorageFullError, storeError } from '../store-errors.ts';

/** How long removal waits after the disk was full or the database locked, in milliseconds. */
const RETRY_MS = 30_000;

const runRow = z.object({ epoch: z.number() });
const idRow = z.object({ id: z.string() });

/**
 * Imports into SQLite. This process is the only writer: a hidden run that it is not importing was left over by a crash or a
 * failed import, and is removed in the background, in short transactions too.
 */
export class SqliteImports implements ImportSteps {
  readonly #database: Database.Database;
  readonly #write: <T>(work: () => T) => Promise<T>;
  readonly #published: () => void;
  readonly #removed: () => void;
  /** The imports in progress, by run. */
  readonly #active = new Map<string, string>();
  readonly #selectRun: Database.Statement<[string]>;
  readonly #selectHidden: Database.Statement<[]>;
  readonly #insertEvent: Database.Statement<[string, number, string, number, string]>;
  readonly #publish: Database.Statement<[string]>;
  readonly #deleteEvents: Database.Statement<[string]>;
  readonly #deleteRun: Database.Statement<[string]>;
  readonly #deleteDeleted: Database.Statement<[string]>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /**
   * @param options.write runs its work in its own transaction
   * @param options.published is called after each import
   * @param options.removed is called when the rows of an import have been removed
   */
  constructor(options: {
    database: Database.Database;
    write: <T>(work: () => T) => Promise<T>;
    published: () => void;
    removed: () => void;
  }) {
    const { database } = options;
    this.#database = database;
    this.#write = options.write;
    this.#published = options.published;
    this.#removed = options.removed;
    this.#selectRun = database.prepare('select epoch from runs where id = ?');
    this.#selectHidden = database.prepare(`select id from runs where epoch = ${IMPORTING}`);
    this.#insertEvent = database.prepare(
      'insert into events (run_id, seq, type, at, body) values (?, ?, ?, ?, ?)',
    );
    this.#publish = database.prepare(
      `update runs set epoch = 0, worker = null, indexed_seq = 0, family = ${FAMILY_OF_PARENT}
         where id = ? and epoch = ${IMPORTING}`,
    );
    this.#deleteEvents = database.prepare(
      `delete from events where rowid in
         (select rowid from events where run_id = ? order by seq limit ${SLICE_ROWS})`,
    );
    this.#deleteDeleted = database.prepare(`delete from runs where id = ? and epoch = ${DELETED}`);
    this.#deleteRun = database.prepare(`delete from runs where id = ? and epoch = ${IMPORTING}`);
  }

  async beginImport(summary: RunSummary, importId: string): Promise<boolean> {
    const { id } = summary;
    while (await this.#write(() => !this.#active.has(id) && this.#removeSlice(id))) await turn();
    return this.#write(() => {
      // A deleted run can no longer be restored when another takes its place.
      this.#deleteDeleted.run(id);
      const found = this.#selectEpoch(id);
      if (found === IMPORTING) throw importUnderWay(id);
      if (found !== undefined) return false;
      const row = sqlite.insertInto('runs').values(importingRow(summary, importId));
      for (const statement of [row, ...importedAnnotations(sqlite, summary)]) {
        const { sql, parameters } = statement.compile();
        this.#database.prepare(sql).run(...parameters);
      }
      this.#active.set(id, importId);
      return true;
    });
  }

  addToImport({ runId, importId }: ImportKey, rows: readonly EventRow[]): Promise<void> {
    return this.#write(() => {
      this.#requireActive({ runId, importId });
      for (const { seq, type, at, body } of rows) this.#insertEvent.run(runId, seq, type, at, body);
    });
  }

  async publishImport({ runId, importId }: ImportKey): Promise<void> {
    await this.#write(() => {
      this.#requireActive({ runId, importId });
      this.#publish.run(runId);
    });
    this.#active.delete(runId);
    this.#published();
  }

  async dropImport({ runId, importId }: ImportKey): Promise<void> {
    if (this.#active.get(runId) !== importId) return;
    this.#active.delete(runId);
    this.removeLater();
  }

  /** Removes rows of failed imports in the background. */
  removeLater(delayMs = 0): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#work(), delayMs);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #work(): void {
    try {
      const hidden = z.array(idRow).parse(this.#selectHidden.all());
      const left = hidden.find(({ id }) => !this.#active.has(id));
      if (left === undefined) return;
      this.#database.transaction(() => this.#removeSlice(left.id)).immediate();
      this.removeLater();
    } catch (error) {
      // The remaining rows are hidden, and are removed later or at the next start.
      const known = storeError(error, this.#database.name);
      if (!(known instanceof StorageFullError))
        console.error('An incomplete import could not be removed:', known);
      this.removeLater(RETRY_MS);
    }
  }

  /** Returns whether there was something to remove. */
  #removeSlice(runId: string): boolean {
    if (this.#selectEpoch(runId) !== IMPORTING) return false;
    if (this.#deleteEvents.run(runId).changes < SLICE_ROWS) {
      this.#deleteRun.run(runId);
      this.#removed();
    }
    return true;
  }

  #selectEpoch(runId: string): number | undefined {
    return runRow.optional().parse(this.#selectRun.get(runId))?.epoch;
  }

  #requireActive({ runId, importId }: ImportKey): void {
    if (this.#active.get(runId) !== importId) throw importInterrupted(runId);
  }
}
