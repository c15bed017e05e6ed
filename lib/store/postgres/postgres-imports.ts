import { z } from 'zod';
import type { RunSummary } from '../../api/run-summary.ts';
import { importedAnnotations } from '../annotation-statements.ts';
import type { EventRow } from '../event-row.ts';
import { type ImportKey, type ImportSteps, importInterrupted, importUnderWay } from '../import-run.ts';
import { importingRow } from '../run-row.ts';
import { DELETED, FAMILY_OF_PARENT, IMPORTING } from '../schema.ts';
import { isStoreBusy, StorageFullError } from '../store-errors.ts';
import { compiled, type PostgresDatabase } from './postgres-database.ts';
import { postgres } from './postgres-schema.ts';
import { eventColumns } from './postgres-statements.ts';

const found = z.object({ epoch: z.number(), worker: z.string().nullable() });

/**
 * Imports into PostgreSQL. An import holds a lease, which each of its statements renews and requires. If its process
 * dies or freezes for longer, any process removes the import, which can then no longer be completed.
 */
export class PostgresImports implements ImportSteps {
  readonly #database: PostgresDatabase;
  readonly #leaseMs: number;
  readonly #published: () => void;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param options.leaseMs how long an import outlives its last statement, and how often to look for abandoned ones
   * @param options.published is called after each import
   */
  constructor(options: { database: PostgresDatabase; leaseMs: number; published: () => void }) {
    this.#database = options.database;
    this.#leaseMs = options.leaseMs;
    this.#published = options.published;
  }

  /** Removes abandoned imports now and regularly. */
  async start(): Promise<void> {
    await this.#removeAbandoned();
    this.#timer = setInterval(() => void this.#removeAbandoned(), this.#leaseMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async beginImport(summary: RunSummary, importId: string): Promise<boolean> {
    await this.#database.runRepeatable({ sql: REMOVE_ABANDONED, parameters: [summary.id] });
    return this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        const row = importingRow(summary, importId);
        // A deleted run can no longer be restored when another takes its place.
        await run({
          sql: `delete from runs where id = $1 and epoch = ${DELETED}`,
          parameters: [summary.id],
        });
        const [made] = await run(
          compiled(
            postgres
              .insertInto('runs')
              .values(row)
              .onConflict((conflict) => conflict.doNothing())
              .returning('id'),
          ),
        );
        if (made) {
          for (const statement of importedAnnotations(postgres, summary)) await run(compiled(statement));
          await run({
            sql: `insert into leases (run_id, epoch, worker, host, until)
                    values ($1, ${IMPORTING}, $2, '', ${LEASE_END})`,
            parameters: [summary.id, importId, this.#leaseMs],
          });
          return true;
        }
        const [other] = await run({
          sql: 'select epoch, worker from runs where id = $1',
          parameters: [summary.id],
        });
        if (!other) throw importInterrupted(summary.id);
        const { epoch, worker } = found.parse(other);
        if (epoch !== IMPORTING) return false;
        // Its own row: the answer to an earlier attempt was lost.
        if (worker !== importId) throw importUnderWay(summary.id);
        return true;
      }),
    );
  }

  async addToImport({ runId, importId }: ImportKey, rows: readonly EventRow[]): Promise<void> {
    const [held] = await this.#database.runRepeatable({
      name: 'loupe_import',
      sql: `with held as (update leases set until = ${LEASE_END}
                          where run_id = $1 and epoch = ${IMPORTING} and worker = $2 returning run_id),
                 stored as (insert into events (run_id, seq, type, at, body)
                            select held.run_id, event.* from held,
                              unnest($4::bigint[], $5::text[], $6::bigint[], $7::text[]) as event
                            on conflict do nothing)
            select run_id from held`,
      parameters: [runId, importId, this.#leaseMs, ...eventColumns(rows)],
    });
    if (!held) throw importInterrupted(runId);
  }

  async publishImport({ runId, importId }: ImportKey): Promise<void> {
    const [published] = await this.#database.whenAnswered(async (tries) => {
      const rows = await this.#database.run({
        sql: `with held as (delete from leases where run_id = $1 and epoch = ${IMPORTING} and worker = $2 returning run_id)
              update runs set epoch = 0, worker = null, indexed_seq = 0, family = ${FAMILY_OF_PARENT}
                from held where id = held.run_id returning id`,
        parameters: [runId, importId],
      });
      // The answer to an earlier attempt was lost. Only that attempt can have published a run of this import.
      if (rows.length > 0 || tries === 0) return rows;
      return this.#database.run({
        sql: 'select id from runs where id = $1 and epoch >= 0',
        parameters: [runId],
      });
    });
    if (!published) throw importInterrupted(runId);
    this.#published();
  }

  async dropImport({ runId, importId }: ImportKey): Promise<void> {
    await this.#database.runRepeatable({
      sql: `delete from runs where id = $1 and epoch = ${IMPORTING} and worker = $2`,
      parameters: [runId, importId],
    });
  }

  async #removeAbandoned(): Promise<void> {
    try {
      await this.#database.run({ sql: REMOVE_ABANDONED, parameters: [null] });
    } catch (error) {
      // The remaining rows are hidden, and the next pass removes them.
      if (isStoreBusy(error) || error instanceof StorageFullError) return;
      console.error('Incomplete imports could not be removed:', error);
    }
  }
}

/** $3 is the length of a lease in milliseconds. */
const LEASE_END = `clock_timestamp() + $3 * interval '1 millisecond'`;

/** For the run $1, or for all runs without one. */
const REMOVE_ABANDONED = `
  delete from runs using leases
    where leases.run_id = runs.id and runs.epoch = ${IMPORTING} and until <= clock_timestamp()
      and ($1::text is null or runs.id = $1)`;
