import Database from 'better-sqlite3';
import { type Compilable, type Expression, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Found, SearchHit } from '../../api/search.ts';
import type { RunEvent } from '../../events/registry.ts';
import { type SearchWord, searchWords } from '../../util/search-words.ts';
import { bodyFromRow } from '../body-row.ts';
import type { EventRange, EventText, SearchPage, TextRange } from '../run-store.ts';
import { IMPORTING, sqlite } from '../schema.ts';
import { type FoundEvent, pageOfRuns, STRETCH } from '../search-groups.ts';
import { eventFromRow, foundRun, hitOf, SqlReader, textFromRow } from '../sql-reader.ts';
import { corruptStore } from '../store-errors.ts';
import { BUSY_PATIENCE_MS, whenFree } from './when-free.ts';

const foundRows = z.array(z.object({ id: z.number(), run_id: z.string(), seq: z.number() }));
const behindRow = z.object({ behind: z.number() });
/** Filters and searches make queries of many shapes; the frequent ones are few. */
const MAX_PREPARED = 64;

/** Reads a database. In WAL mode it sees every commit immediately and never waits for a writer. */
export class SqliteReader extends SqlReader {
  readonly path: string;
  readonly #database: Database.Database;
  readonly #patienceMs: number;
  readonly #selectEvents: Database.Statement<[string, number, string, number]>;
  readonly #searchRows: Database.Statement<[string, number, number]>;
  readonly #selectBehind: Database.Statement<[]>;
  /** Prepared queries by their text. */
  readonly #prepared = new Map<string, Database.Statement<unknown[]>>();

  constructor(options: { path: string; database: Database.Database; patienceMs: number }) {
    super(sqlite);
    this.path = options.path;
    this.#database = options.database;
    this.#patienceMs = options.patienceMs;
    this.#selectEvents = this.#database.prepare(
      `select run_id, seq, at, type, body from events
         where run_id = ? and seq > ? and (select epoch from runs where id = ?) > ${IMPORTING} order by seq limit ?`,
    );
    this.#searchRows = this.#database.prepare(
      `select id, run_id, seq from search_texts join search_rows on id = search_texts.rowid
         where search_texts match ? and search_texts.rowid < ? order by search_texts.rowid desc limit ?`,
    );
    this.#selectBehind = this.#database.prepare(
      'select coalesce(sum(last_seq - indexed_seq), 0) as behind from runs where indexed_seq < last_seq',
    );
  }

  /** A reader with its own connection; the writer has created the tables. */
  static open(path: string, { patienceMs = BUSY_PATIENCE_MS } = {}): SqliteReader {
    const database = new Database(path, { readonly: true, timeout: 0 });
    return new SqliteReader({ path, database, patienceMs });
  }

  close(): void {
    this.#database.close();
  }

  read(runId: string, range: EventRange): Promise<RunEvent[]> {
    return this.#whenFree(() => this.readNow(runId, range));
  }

  readTexts(runId: string, range: TextRange): Promise<EventText[]> {
    return this.#whenFree(() =>
      Array.from(this.#rows(runId, range), (row) =>
        textFromRow(row, (where, cause) => corruptStore(this.path, cause, where)),
      ),
    );
  }

  /** Within a transaction of the same connection. */
  readNow(runId: string, range: EventRange): RunEvent[] {
    return Array.from(this.#rows(runId, range), (row) =>
      eventFromRow(row, (where, cause) => corruptStore(this.path, cause, where)),
    );
  }

  *#rows(runId: string, { afterSeq, limit, maxChars }: EventRange): Generator<unknown> {
    let chars = 0;
    for (const row of this.#selectEvents.iterate(runId, afterSeq, runId, limit)) {
      yield row;
      if (maxChars === undefined) continue;
      chars += bodyFromRow(row).length;
      if (chars >= maxChars) return;
    }
  }

  search(query: string, { limit, from }: SearchPage): Promise<Found> {
    const words = searchWords(query);
    return this.#whenFree(() => {
      const { behind } = behindRow.parse(this.#selectBehind.get());
      if (words.length === 0) return { runs: [], behind };
      const before = from?.before ?? Number.MAX_SAFE_INTEGER;
      const rows = this.#searchRows.all(matchExpression(words), before, STRETCH + 1);
      const page = pageOfRuns(foundRows.parse(rows), { limit, from });
      const hits = (shown: readonly FoundEvent[]) => shown.flatMap((place) => this.#hit(place, words));
      return { runs: page.runs.map((run) => foundRun(run, hits(run.shown))), next: page.next, behind };
    });
  }

  #hit({ run_id, seq }: FoundEvent, words: readonly SearchWord[]): SearchHit[] {
    const [event] = this.readNow(run_id, { afterSeq: seq - 1, limit: 1 });
    return event?.seq === seq ? [hitOf(event, words)] : [];
  }

  holds(text: Expression<string>, word: string): Expression<SqlBool> {
    return sql<SqlBool>`instr(lower(${text}), ${word}) > 0`;
  }

  includes(text: Expression<string>, part: string): Expression<SqlBool> {
    return sql<SqlBool>`instr(${text}, ${part}) > 0`;
  }

  /** SQLite compares texts by their bytes anyway. */
  bytewise(text: Expression<string>): Expression<string> {
    return text;
  }

  protected experimentField(name: 'status' | 'running'): Expression<string | null> {
    return sql<string | null>`cast(json_extract(body, ${`$.${name}`}) as text)`;
  }

  protected settingOfRun(name: 'workspace' | 'copied_from'): Expression<string | null> {
    return sql<string | null>`json_extract(events.body, ${`$.config.${name}`})`;
  }

  protected all(query: Compilable): Promise<unknown[]> {
    const { sql: text, parameters } = query.compile();
    return this.#whenFree(() => this.#prepare(text).all(...parameters));
  }

  #prepare(text: string): Database.Statement<unknown[]> {
    const known = this.#prepared.get(text);
    if (known) return known;
    const statement = this.#database.prepare<unknown[]>(text);
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    this.#prepared.set(text, statement);
    return statement;
  }

  #whenFree<T>(work: () => T): Promise<T> {
    return whenFree(work, { path: this.path, patienceMs: this.#patienceMs });
  }
}

/** Words in the syntax of FTS5: each part in quotes, so that nothing in it is an operator. */
function matchExpression(words: readonly SearchWord[]): string {
  return words.map(({ parts, begins }) => `"${parts.join(' ')}"${begins ? '*' : ''}`).join(' AND ');
}
