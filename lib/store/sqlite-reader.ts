import Database from 'better-sqlite3';
import type { Compilable } from 'kysely';
import { z } from 'zod';
import { experimentItem, experimentSummary } from '../api/experiment.ts';
import { addCount, emptyReading, type ModelReading } from '../api/model-reading.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { summaryFromRow } from './run-row.ts';
import type { RunReader } from './run-store.ts';
import { sqlite } from './schema.ts';
import { corruptStore } from './store-errors.ts';
import { BUSY_PATIENCE_MS, whenFree } from './when-free.ts';

const eventRow = z.object({ run_id: z.string(), seq: z.number(), at: z.number(), body: z.string() });
const bodyRow = z.object({ body: z.string() });
const modelCount = z.object({ model: z.string(), counter: z.string(), count: z.number() });

/** Reads a database. In WAL mode it sees every commit at once and waits for no writer. */
export class SqliteReader implements RunReader {
  readonly path: string;
  readonly #database: Database.Database;
  readonly #patienceMs: number;
  readonly #selectEvents: Database.Statement<[string, number, number]>;

  constructor(options: { path: string; database: Database.Database; patienceMs: number }) {
    this.path = options.path;
    this.#database = options.database;
    this.#patienceMs = options.patienceMs;
    this.#selectEvents = this.#database.prepare(
      'select run_id, seq, at, body from events where run_id = ? and seq > ? order by seq limit ?',
    );
  }

  /** A reader with a connection of its own, beside the writer that has made the tables. */
  static open(path: string, { patienceMs = BUSY_PATIENCE_MS } = {}): SqliteReader {
    const database = new Database(path, { readonly: true, timeout: 0 });
    return new SqliteReader({ path, database, patienceMs });
  }

  close(): void {
    this.#database.close();
  }

  read(runId: string, range: { afterSeq: number; limit: number }): Promise<RunEvent[]> {
    return this.#whenFree(() => this.readNow(runId, range));
  }

  /** Within a transaction of the same connection. */
  readNow(runId: string, range: { afterSeq: number; limit: number }): RunEvent[] {
    return this.#selectEvents.all(runId, range.afterSeq, range.limit).map((row) => parseRow(row, this.path));
  }

  async readOne(runId: string, seq: number): Promise<RunEvent | undefined> {
    const [event] = await this.read(runId, { afterSeq: seq - 1, limit: 1 });
    return event?.seq === seq ? event : undefined;
  }

  list(page: { limit: number; before?: { createdAt: number; id: string } }): Promise<RunSummary[]> {
    const newest = sqlite
      .selectFrom('runs')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit);
    const { before } = page;
    return this.#summaries(
      before
        ? newest.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '<', tuple(before.createdAt, before.id)),
          )
        : newest,
    );
  }

  async summary(runId: string): Promise<RunSummary | undefined> {
    const [summary] = await this.#summaries(sqlite.selectFrom('runs').selectAll().where('id', '=', runId));
    return summary;
  }

  unfinished(): Promise<RunSummary[]> {
    return this.#summaries(
      sqlite.selectFrom('runs').selectAll().where('phase', '!=', 'ended').orderBy('created_at').orderBy('id'),
    );
  }

  async readings(): Promise<Map<string, ModelReading>> {
    const rows = await this.#all(
      sqlite.selectFrom('model_counts').selectAll().orderBy('count', 'desc').orderBy('counter'),
    );
    const readings = new Map<string, ModelReading>();
    for (const row of rows) {
      const { model, counter, count } = modelCount.parse(row);
      const reading = readings.get(model) ?? emptyReading();
      addCount(reading, counter, count);
      readings.set(model, reading);
    }
    return readings;
  }

  async experiment(id: string): ReturnType<RunReader['experiment']> {
    const [row] = await this.#all(sqlite.selectFrom('experiments').select('body').where('id', '=', id));
    if (row === undefined) return undefined;
    const items = await this.#all(
      sqlite
        .selectFrom('experiment_items')
        .select('body')
        .where('experiment_id', '=', id)
        .orderBy('position'),
    );
    return {
      summary: experimentSummary.parse(bodyOf(row)),
      items: items.map((item) => experimentItem.parse(bodyOf(item))),
    };
  }

  async experiments(): ReturnType<RunReader['experiments']> {
    const rows = await this.#all(
      sqlite.selectFrom('experiments').select('body').orderBy('created_at', 'desc').orderBy('id', 'desc'),
    );
    return rows.map((row) => experimentSummary.parse(bodyOf(row)));
  }

  async #summaries(query: Compilable): Promise<RunSummary[]> {
    return (await this.#all(query)).map((row) => summaryFromRow.parse(row));
  }

  #all(query: Compilable): Promise<unknown[]> {
    const { sql, parameters } = query.compile();
    return this.#whenFree(() => this.#database.prepare(sql).all(...parameters));
  }

  #whenFree<T>(work: () => T): Promise<T> {
    return whenFree(work, { path: this.path, patienceMs: this.#patienceMs });
  }
}

function parseRow(row: unknown, path: string): RunEvent {
  const { run_id, seq, at, body } = eventRow.parse(row);
  try {
    return runEvent.parse({ ...JSON.parse(body), run_id, seq, at });
  } catch (cause) {
    throw corruptStore(path, cause, ` at event ${seq} of run ${run_id}`);
  }
}

function bodyOf(row: unknown): unknown {
  return JSON.parse(bodyRow.parse(row).body);
}
