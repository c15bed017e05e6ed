import { z } from 'zod';
import type { Found } from '../../api/search.ts';
import { AppError } from '../../errors/app-error.ts';
import type { RunEvent } from '../../events/registry.ts';
import { plainWord, type SearchWord, searchWords, wordsOf } from '../../util/search-words.ts';
import type { SearchPage } from '../run-store.ts';
import { type FoundEvent, pageOfRuns, STRETCH } from '../search-groups.ts';
import { eventFromRow, foundRun, hitOf, indexedText } from '../sql-reader.ts';
import { isStoreBusy } from '../store-errors.ts';
import type { PostgresDatabase, Run } from './postgres-database.ts';
import { damagedDatabase } from './postgres-errors.ts';

/** A burst of appends is over when nothing arrived for this long; its events are then indexed together. */
const QUIET_MS = 400;
/** How long a search waits for events that are not in the index yet. */
const CATCH_UP_MS = 250;
const BATCH_EVENTS = 100;

const backlogRow = z.object({ id: z.string(), indexed_seq: z.number() });
const foundRows = z.array(z.object({ id: z.number(), run_id: z.string(), seq: z.number() }));
const seqRow = z.object({ seq: z.number() });
const behindRow = z.object({ behind: z.number() });

/**
 * The full-text search of a PostgreSQL store. As in SQLite (`search-index.ts`), the log is indexed some time after it
 * was written, from the position in each run's row. Several processes share the work, and none takes a run that another
 * is indexing.
 */
export class PostgresSearch {
  readonly #database: PostgresDatabase;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Call after an append: it is indexed when the burst is over. */
  soon(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#takeAll();
    }, QUIET_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async search(query: string, { limit, from }: SearchPage): Promise<Found> {
    const deadline = performance.now() + CATCH_UP_MS;
    try {
      while ((await this.#takeBatch()) && performance.now() < deadline);
    } catch (error) {
      // A database that currently accepts no writes can still be read: the rest is reported as `behind`.
      if (!(error instanceof AppError)) throw error;
    }
    const words = searchWords(query);
    return this.#database.whenAnswered(async () => {
      const [row] = await this.#database.run({
        sql: 'select coalesce(sum(last_seq - indexed_seq), 0)::bigint as behind from runs where indexed_seq < last_seq',
        parameters: [],
      });
      const { behind } = behindRow.parse(row);
      if (words.length === 0) return { runs: [], behind };
      const rows = await this.#database.run({
        sql: `select id, run_id, seq from search_rows
              where words @@ to_tsquery('simple', $1) and id < $2 order by id desc limit $3`,
        parameters: [tsquery(words), from?.before ?? Number.MAX_SAFE_INTEGER, STRETCH + 1],
      });
      const page = pageOfRuns(foundRows.parse(rows), { limit, from });
      const events = await this.#events(page.runs.flatMap(({ shown }) => shown));
      const hits = (shown: readonly FoundEvent[]) =>
        shown.flatMap(({ run_id, seq }) => {
          const event = events.find((each) => each.run_id === run_id && each.seq === seq);
          return event ? [hitOf(event, words)] : [];
        });
      return { runs: page.runs.map((run) => foundRun(run, hits(run.shown))), next: page.next, behind };
    });
  }

  async #events(places: readonly FoundEvent[]): Promise<RunEvent[]> {
    const rows = await this.#database.run({
      sql: `select events.run_id, events.seq, at, body from events
            join unnest($1::text[], $2::bigint[]) as place (run_id, seq)
              on events.run_id = place.run_id and events.seq = place.seq`,
      parameters: [places.map(({ run_id }) => run_id), places.map(({ seq }) => seq)],
    });
    return rows.map((row) => this.#event(row));
  }

  #event(row: unknown): RunEvent {
    return eventFromRow(row, (where, cause) => damagedDatabase(this.#database.place, cause, where));
  }

  #text(row: unknown): string {
    return indexedText(row, (where, cause) => damagedDatabase(this.#database.place, cause, where));
  }

  async #takeAll(): Promise<void> {
    try {
      while (!this.#closed && (await this.#takeBatch()));
    } catch (error) {
      // The log is complete, only the search is behind. If the database does not answer, this is retried;
      // after any other error, the next append tries again.
      if (isStoreBusy(error)) this.soon();
      else console.error('The search index could not be brought up to date:', error);
    }
  }

  /** Returns whether there may be more. */
  #takeBatch(): Promise<boolean> {
    return this.#database.transaction(async (run) => {
      const [row] = await run({
        sql: `select id, indexed_seq from runs where indexed_seq < last_seq order by created_at limit 1
              for update skip locked`,
        parameters: [],
      });
      if (row === undefined) return false;
      const { id, indexed_seq } = backlogRow.parse(row);
      const last = await this.#take(run, id, indexed_seq);
      await run({ sql: 'update runs set indexed_seq = $2 where id = $1', parameters: [id, last] });
      return last > indexed_seq;
    });
  }

  async #take(run: Run, runId: string, afterSeq: number): Promise<number> {
    const rows = await run({
      sql: 'select run_id, seq, at, body from events where run_id = $1 and seq > $2 order by seq limit $3',
      parameters: [runId, afterSeq, BATCH_EVENTS],
    });
    const texts = rows
      .map((row) => ({ ...seqRow.parse(row), text: wordsOf(this.#text(row)).map(plainWord).join(' ') }))
      .filter(({ text }) => text !== '');
    await run({
      sql: `insert into search_rows (run_id, seq, words)
              select $1, seq, to_tsvector('simple', text) from unnest($2::bigint[], $3::text[]) as found (seq, text)
              order by seq`,
      parameters: [runId, texts.map(({ seq }) => seq), texts.map(({ text }) => text)],
    });
    return seqRow.optional().parse(rows.at(-1))?.seq ?? afterSeq;
  }
}

/** Words in the syntax of `to_tsquery`: letters and digits in quotes, so that nothing in them is an operator. */
function tsquery(words: readonly SearchWord[]): string {
  return words
    .map(({ parts, begins }) => {
      const quoted = parts.map((part) => `'${plainWord(part)}'`);
      return `(${quoted.join(' <-> ')}${begins ? ':*' : ''})`;
    })
    .join(' & ');
}
