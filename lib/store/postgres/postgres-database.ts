import { setTimeout as delay } from 'node:timers/promises';
import type { Compilable } from 'kysely';
import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  type QueryConfig,
  types,
} from 'pg';
import { isStoreBusy } from '../store-errors.ts';
import { isReadOnly, isTimeout, postgresError } from './postgres-errors.ts';
import { fromPostgresText, toPostgresText } from './postgres-text.ts';

const CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 5000;
/** A process that hangs in a transaction must not block the others. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const STATEMENT_MS = 60_000;
/** Longer than a statement may take: without an answer by then, the connection is considered dead. */
const ANSWER_MS = STATEMENT_MS + 10_000;
/**
 * The system would probe an idle connection after two hours, but a firewall may forget it within minutes. Node gives one up
 * when 10 probes, a second apart, have no answer.
 */
const PROBE_AFTER_MS = 30_000;
const ROLLBACK_MS = 5000;
const RETRY_MS = 100;
const BIGINT = 20;

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /** Statements with a name are planned once per connection. */
  name?: string;
}

/** Runs a statement and returns its rows, with numbers and texts decoded. */
export type Run = (statement: Statement) => Promise<Record<string, unknown>[]>;

/** The connections of this process to a PostgreSQL database. */
export class PostgresDatabase {
  /** The database without its password, for people. */
  readonly place: string;
  readonly #config: ClientConfig;
  readonly #pool: Pool;
  readonly #patienceMs: number;
  readonly #answerMs: number;

  constructor(url: string, { patienceMs, answerMs = ANSWER_MS }: { patienceMs: number; answerMs?: number }) {
    this.place = placeOf(url);
    this.#patienceMs = patienceMs;
    this.#answerMs = answerMs;
    this.#config = {
      connectionString: url,
      application_name: 'loupe',
      keepAlive: true,
      keepAliveInitialDelayMillis: PROBE_AFTER_MS,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      statement_timeout: STATEMENT_MS,
      // A commit is on disk when it is acknowledged, and a start waits for another process that migrates, whatever the
      // settings of the role or the database. Other waits for locks are limited by the statement timeout.
      options: '-c synchronous_commit=on -c lock_timeout=0',
      types: {
        // Counts and milliseconds, far below 2^53.
        getTypeParser: (oid, format) =>
          oid === BIGINT ? (text: string) => Number(text) : types.getTypeParser(oid, format),
      },
    };
    this.#pool = new Pool({ ...this.#config, max: CONNECTIONS });
    // A broken connection fails its running statement, or is replaced for the next one.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  run: Run = (statement) => this.#told(() => execute(this.#pool, statement, this.#answerMs));

  /**
   * Runs a statement again on a new connection if the one from the pool was lost. A restart or a failover closes all idle
   * ones, and whether the database answers now is another question. Only for statements that may run twice.
   */
  runOnNewIfLost: Run = async (statement) => {
    try {
      return await this.run(statement);
    } catch (error) {
      if (!isStoreBusy(error) || isTimeout(error.cause)) throw error;
      return await this.#told(() => this.#runAlone(statement));
    }
  };

  /** Retries a statement while the database does not answer. Only for statements that may run twice. */
  runRepeatable: Run = (statement) => this.whenAnswered(() => this.run(statement));

  /**
   * Runs `work` in a transaction.
   *
   * @param options.answerMs how long a statement may go without an answer; 0 for no limit
   */
  async transaction<T>(work: (run: Run) => Promise<T>, { answerMs = this.#answerMs } = {}): Promise<T> {
    return this.#told(async () => {
      const client = await this.#pool.connect();
      try {
        await client.query(limited('begin', answerMs));
        const value = await work((statement) => execute(client, statement, answerMs));
        await client.query(limited('commit', answerMs));
        client.release();
        return value;
      } catch (error) {
        // After a failover, a new connection may lead to the new primary server.
        if (isReadOnly(error)) client.release(true);
        else await undo(client, Math.min(answerMs || ROLLBACK_MS, ROLLBACK_MS));
        throw error;
      }
    });
  }

  /** Retries its work while the database does not answer. @throws {AppError} `store_busy` after the time limit */
  async whenAnswered<T>(work: (tries: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await work(tries);
      } catch (error) {
        if (!isStoreBusy(error) || performance.now() >= deadline) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  /** A dedicated connection, not yet connected. */
  newClient(): Client {
    return new Client({ ...this.#config, query_timeout: this.#answerMs });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #runAlone(statement: Statement): Promise<Record<string, unknown>[]> {
    const client = this.newClient();
    client.on('error', () => undefined); // reported by the statement
    try {
      await client.connect();
      return await execute(client, statement, this.#answerMs);
    } finally {
      await client.end();
    }
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw postgresError(error, this.place);
    }
  }
}

export function compiled(query: Compilable): Statement {
  const { sql, parameters } = query.compile();
  return { sql, parameters };
}

async function execute(
  connection: Pool | ClientBase,
  statement: Statement,
  answerMs: number,
): Promise<Record<string, unknown>[]> {
  const { rows } = await connection.query<Record<string, unknown>>({
    ...limited(statement.sql, answerMs),
    name: statement.name,
    values: statement.parameters.map(keepable),
  });
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string') row[column] = fromPostgresText(value);
    }
  }
  return rows;
}

function limited(text: string, answerMs: number): QueryConfig & { query_timeout: number } {
  return { text, query_timeout: answerMs };
}

function keepable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keepable);
  return typeof value === 'string' ? toPostgresText(value) : value;
}

/** Discards a connection that cannot be rolled back; the server aborts its transaction. */
async function undo(client: PoolClient, answerMs: number): Promise<void> {
  try {
    await client.query(limited('rollback', answerMs));
    client.release();
  } catch {
    client.release(true);
  }
}

/** `host:port/database`, or the folder of the socket, as far as the URL contains it; never the password. */
function placeOf(text: string): string {
  const url = new URL(text);
  const host = url.host || url.searchParams.get('host') || 'localhost';
  return `${host}${url.pathname}`;
}
