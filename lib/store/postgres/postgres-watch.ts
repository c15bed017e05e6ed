import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { z } from 'zod';
import type { AppError } from '../../errors/app-error.ts';
import { jsonValue } from '../../util/json.ts';
import { isStoreBusy } from '../store-errors.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { findNewerSchema } from './postgres-migrations.ts';
import { fromPostgresText } from './postgres-text.ts';

/** The channel that carries "run X is at N": N is 0 when X was deleted, and -1 when its annotations changed. */
const CHANNEL = 'loupe_runs';
/** The channel for messages between processes that are not about appends. */
const BROADCASTS = 'loupe_said';
/** Notifications of one process are batched, because each takes a lock that all commits of the server share. */
const GATHER_MS = 20;
/** Below the 8000 bytes that a notification holds. */
const RUNS_PER_NOTE = 100;

/** Special values in place of a last number. */
const DELETED = 0;
/** The run's data besides its log has changed, or the run was restored. */
const ANNOTATED = -1;

const note = z.object({ from: z.string(), runs: z.array(z.tuple([z.string(), z.number()])) });
const place = z.object({ id: z.string(), last_seq: z.number() });

/**
 * Notifies other processes of appends, and learns of theirs: by notification within milliseconds, and by polling the
 * unfinished runs, because a notification is lost with its connection.
 */
export class PostgresWatch {
  readonly #database: PostgresDatabase;
  readonly #onChange: (runId: string, lastSeq: number) => void;
  readonly #onBroadcast: (message: string) => void;
  readonly #onNewer: (reason: AppError) => void;
  readonly #lookMs: number;
  /** The ID of this process. */
  readonly #self = randomUUID();
  /** The last known seq of every unfinished run. */
  readonly #known = new Map<string, number>();
  readonly #pending = new Map<string, number>();
  #telling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #listener: Client | undefined;
  #looked = false;
  #closed = false;

  constructor(options: {
    database: PostgresDatabase;
    /** Polling interval in milliseconds. */
    lookMs: number;
    onChange: (runId: string, lastSeq: number) => void;
    /** Called with a message of another process. */
    onBroadcast: (message: string) => void;
    /** Called at each poll once a later version of Loupe has migrated the database. */
    onNewer: (reason: AppError) => void;
  }) {
    this.#database = options.database;
    this.#lookMs = options.lookMs;
    this.#onChange = options.onChange;
    this.#onBroadcast = options.onBroadcast;
    this.#onNewer = options.onNewer;
  }

  /** Starts to watch. Appends of other processes are noticed from now on. */
  async start(): Promise<void> {
    await this.#listen();
    await this.#look();
    this.#lookLater();
  }

  /** Call after an append by this process. */
  notify(runId: string, lastSeq: number): void {
    this.#known.set(runId, lastSeq);
    this.#pending.set(runId, lastSeq);
    this.#telling ??= setTimeout(() => void this.#send(), GATHER_MS);
  }

  /** Announces that this process deleted a run. A lost notification is not repeated: later requests for the run fail anyway. */
  notifyDeleted(runId: string): void {
    this.notify(runId, DELETED);
    this.#known.delete(runId);
  }

  /**
   * Announces a change that is not in the log. If the notification is lost, the next read of the list shows the change.
   */
  notifyAnnotated(runId: string): void {
    // A pending notification of an append implies this one.
    if (!this.#pending.has(runId)) this.#pending.set(runId, ANNOTATED);
    this.#telling ??= setTimeout(() => void this.#send(), GATHER_MS);
  }

  /** One statement, so that they arrive in order or not at all. */
  async broadcast(messages: readonly string[]): Promise<void> {
    await this.#database.run({
      name: 'loupe_say',
      sql: 'select pg_notify($1, said) from unnest($2::text[]) as said',
      parameters: [BROADCASTS, messages.map((message) => `${this.#self} ${message}`)],
    });
  }

  /** Sends the last notifications, then stops. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#telling);
    clearTimeout(this.#looking);
    await this.#send();
    await this.#listener?.end().catch(() => undefined); // it may be broken already
  }

  async #send(): Promise<void> {
    this.#telling = undefined;
    const runs = [...this.#pending];
    this.#pending.clear();
    for (let from = 0; from < runs.length; from += RUNS_PER_NOTE) {
      const text = JSON.stringify({ from: this.#self, runs: runs.slice(from, from + RUNS_PER_NOTE) });
      const statement = { sql: 'select pg_notify($1, $2)', parameters: [CHANNEL, text] };
      // If a notification is lost, the next poll of the others finds the change.
      await this.#database.run(statement).catch(() => undefined);
    }
  }

  async #listen(): Promise<void> {
    const client = this.#database.newClient();
    const lost = () => {
      if (this.#listener === client) this.#listener = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload: sent = '' }) => {
      const payload = fromPostgresText(sent);
      if (channel === CHANNEL) this.#hear(payload);
      else if (!payload.startsWith(this.#self)) this.#onBroadcast(payload.slice(payload.indexOf(' ') + 1));
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}; listen ${BROADCASTS}`);
      this.#listener = client;
    } catch {
      // The next poll tries again and finds what was missed.
      await client.end().catch(() => undefined);
    }
  }

  #hear(payload: string): void {
    const { data } = note.safeParse(jsonValue(payload)); // other programs may write to our channel
    if (!data || data.from === this.#self) return;
    for (const [runId, lastSeq] of data.runs) this.#found(runId, lastSeq);
  }

  #lookLater(): void {
    if (this.#closed) return;
    this.#looking = setTimeout(async () => {
      if (!this.#listener) await this.#listen();
      await this.#look();
      this.#lookLater();
    }, this.#lookMs);
    this.#looking.unref();
  }

  async #look(): Promise<void> {
    try {
      const rows = await this.#database.run({
        name: 'loupe_look',
        sql: `select id, last_seq, phase from runs where phase <> 'ended' or id = any($1::text[])`,
        parameters: [[...this.#known.keys()]],
      });
      const first = !this.#looked;
      this.#looked = true;
      for (const row of rows) {
        const { id, last_seq } = place.parse(row);
        if (first && !this.#known.has(id)) this.#known.set(id, last_seq);
        else this.#found(id, last_seq);
        if (row.phase === 'ended') this.#known.delete(id);
      }
      const newer = await findNewerSchema(this.#database);
      if (newer) this.#onNewer(newer);
    } catch (error) {
      // The next poll finds what was missed. If the database does not respond, requests report it.
      if (!this.#closed && !isStoreBusy(error))
        console.error('Looking for what other processes wrote failed:', error);
    }
  }

  #found(runId: string, lastSeq: number): void {
    if (lastSeq === DELETED) this.#known.delete(runId);
    else if (lastSeq !== ANNOTATED) {
      if (lastSeq <= (this.#known.get(runId) ?? 0)) return;
      this.#known.set(runId, lastSeq);
    }
    this.#onChange(runId, lastSeq === ANNOTATED ? (this.#known.get(runId) ?? DELETED) : lastSeq);
  }
}
