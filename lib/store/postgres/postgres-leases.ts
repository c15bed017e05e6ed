import { z } from 'zod';
import { PHASES_WITHOUT_MODEL } from '../../events/run-phase.ts';
import type { ExperimentLeaseStore, FreeRun, HeldRun, RunLeases, SlotLeases } from '../leases.ts';
import { RunEndedError, RunNotFoundError } from '../store-errors.ts';
import type { PostgresDatabase, Run } from './postgres-database.ts';

/**
 * Max waiting runs of a model that are read; later ones are not counted. Per model, so that none can keep another's
 * server idle.
 */
const FREE_OF_A_MODEL = 1000;
/** Advisory lock key, unique in this database: one process at a time counts slots and claims a run. */
const CLAIM_LOCK = 0x10_09_e6;

/** Runs with work to do: a run that waits for a message has none until the operator acts. */
const WORK = `phase not in ('ended', 'awaiting-message')`;
/** Runs that no worker holds, and since when each of them waits. */
const FREE = `runs left join leases on leases.run_id = runs.id
                where ${WORK} and (until is null or until <= clock_timestamp())`;
const SINCE = 'coalesce(passed_at, created_at)';

const position = z.object({ last_seq: z.number(), epoch: z.number(), phase: z.string() });
const claimed = z.object({ last_seq: z.number(), epoch: z.number() });
const freeRow = z.object({
  id: z.string(),
  model: z.string(),
  stop_requested: z.number(),
  max_iterations: z.number(),
  phase: z.string(),
});

/**
 * The leases of runs, of slots at model servers and of experiments when several processes share a database, all
 * measured by the database's clock (docs/decisions/0022).
 */
export class PostgresLeases implements RunLeases, SlotLeases, ExperimentLeaseStore {
  readonly leaseMs: number;
  readonly #database: PostgresDatabase;
  readonly #run: Run;
  /** Claims by run that may have been committed without an answer. */
  readonly #unanswered = new Map<string, { epoch: number; worker: string }>();

  /** @param leaseMs how long a claim and a renewal last */
  constructor(database: PostgresDatabase, leaseMs: number) {
    this.#database = database;
    this.#run = database.runRepeatable;
    this.leaseMs = leaseMs;
  }

  async claim(runId: string, worker: string): Promise<{ epoch: number; lastSeq: number }> {
    const [row] = await this.#run({
      sql: `with taken as (update runs set epoch = epoch + 1, worker = $2 where id = $1 and phase <> 'ended'
                           returning id, epoch, last_seq),
                 ${LEASE_TAKEN}
            select epoch, last_seq from taken`,
      parameters: [runId, worker, '', this.leaseMs],
    });
    if (row) return toClaim(row);
    if (!(await positionOf(this.#run, runId))) throw new RunNotFoundError(runId);
    throw new RunEndedError(runId);
  }

  async claimFree(
    runId: string,
    { worker, host, slots }: { worker: string; host?: string; slots: number },
  ): Promise<{ epoch: number; lastSeq: number } | undefined> {
    const unanswered: { epoch?: number } = {};
    const work = async (run: Run) => {
      await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [CLAIM_LOCK] });
      const [row] = await run({
        sql: `with free as (select runs.id from runs left join leases on leases.run_id = runs.id
                where runs.id = $1 and ${WORK} and (until is null or until <= clock_timestamp())
                  and ($3 = '' or ${SLOTS_TAKEN} < $5)
                for update of runs skip locked),
              taken as (update runs set epoch = epoch + 1, worker = $2 from free where runs.id = free.id
                        returning runs.id, epoch, last_seq),
              ${LEASE_TAKEN}
              select epoch, last_seq from taken`,
        parameters: [runId, worker, host ?? '', this.leaseMs, slots],
      });
      const claim = row && toClaim(row);
      if (claim) unanswered.epoch = claim.epoch;
      return claim;
    };
    try {
      const claim = await this.#database.whenAnswered(() => this.#database.transaction(work));
      if (claim) delete unanswered.epoch;
      return claim;
    } finally {
      if (unanswered.epoch !== undefined) this.#unanswered.set(runId, { epoch: unanswered.epoch, worker });
    }
  }

  async free(): Promise<FreeRun[]> {
    await this.#releaseUnanswered();
    const rows = await this.#run({
      name: 'loupe_free',
      sql: `with waiting as (
              select id, model, stop_requested, max_iterations, phase, ${SINCE} as since,
                  stop_requested = 1 or phase = any($1::text[]) as slotless
                from ${FREE}),
              placed as (
                select *, row_number() over (partition by model order by slotless desc, since, id) as place from waiting)
            select id, model, stop_requested, max_iterations, phase from placed where place <= ${FREE_OF_A_MODEL}
            order by slotless desc, since, id`,
      // Runs that need no slot come first: a long queue must not keep a stopped run from ending.
      parameters: [PHASES_WITHOUT_MODEL],
    });
    return rows.map((row) => {
      const { id, model, stop_requested, max_iterations, phase } = freeRow.parse(row);
      return {
        id,
        model,
        stopRequested: stop_requested === 1,
        endless: max_iterations === 0,
        needsSlot: !PHASES_WITHOUT_MODEL.some((each) => each === phase),
      };
    });
  }

  /** Nobody works on a run whose claim was not answered; otherwise it would wait until its lease expires. */
  async #releaseUnanswered(): Promise<void> {
    for (const [runId, { epoch, worker }] of this.#unanswered) {
      await this.#run({
        sql: `update leases set until = '-infinity' where run_id = $1 and epoch = $2 and worker = $3`,
        parameters: [runId, epoch, worker],
      });
      this.#unanswered.delete(runId);
    }
  }

  async renew(held: readonly HeldRun[]): Promise<string[]> {
    if (held.length === 0) return [];
    const rows = await this.#run({
      name: 'loupe_renew',
      sql: `update leases set until = clock_timestamp() + $3 * interval '1 millisecond'
            from unnest($1::text[], $2::bigint[]) as held (id, held_epoch)
            where run_id = held.id and epoch = held_epoch returning run_id`,
      parameters: [held.map(({ runId }) => runId), held.map(({ epoch }) => epoch), this.leaseMs],
    });
    const renewed = new Set(rows.map(({ run_id }) => run_id));
    return held.flatMap(({ runId }) => (renewed.has(runId) ? [] : [runId]));
  }

  async yieldSlot({ runId, epoch }: HeldRun): Promise<void> {
    await this.#run({
      sql: `update leases set host = '' where run_id = $1 and epoch = $2`,
      parameters: [runId, epoch],
    });
  }

  async retakeSlot(
    { runId, epoch }: HeldRun,
    { host, slots }: { host: string; slots: number },
  ): Promise<boolean> {
    const rows = await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [CLAIM_LOCK] });
        return run({
          sql: `update leases set host = $3
                where run_id = $1 and epoch = $2 and (host = $3 or $4 > ${SLOTS_TAKEN})
                returning run_id`,
          parameters: [runId, epoch, host, slots],
        });
      }),
    );
    return rows.length > 0;
  }

  async release({ runId, epoch }: HeldRun, { last = false }: { last?: boolean } = {}): Promise<void> {
    await this.#run({
      // The clock of the machine that created a waiting run may be ahead.
      sql: `update leases set until = '-infinity',
              passed_at = case when $3 then greatest(extract(epoch from clock_timestamp()) * 1000,
                (select max(${SINCE}) + 1 from ${FREE})) else passed_at end
            where run_id = $1 and epoch = $2`,
      parameters: [runId, epoch, last],
    });
  }

  async holdExperiment(experimentId: string, worker: string): Promise<boolean> {
    const rows = await this.#run({
      // Locked, so that it is not deleted between the check and the reference to it.
      sql: `insert into experiment_leases (experiment_id, worker, until)
              select id, $2, clock_timestamp() + $3 * interval '1 millisecond' from experiments where id = $1
                for key share
            on conflict (experiment_id) do update set worker = excluded.worker, until = excluded.until
              where experiment_leases.worker = $2 or experiment_leases.until <= clock_timestamp()
            returning experiment_id`,
      parameters: [experimentId, worker, this.leaseMs],
    });
    return rows.length > 0;
  }

  async keepExperiment(experimentId: string, worker: string): Promise<boolean> {
    const rows = await this.#run({
      sql: `update experiment_leases set until = clock_timestamp() + $3 * interval '1 millisecond'
            where experiment_id = $1 and worker = $2 returning experiment_id`,
      parameters: [experimentId, worker, this.leaseMs],
    });
    return rows.length > 0;
  }

  async releaseExperiment(experimentId: string, worker: string): Promise<void> {
    await this.#run({
      sql: 'delete from experiment_leases where experiment_id = $1 and worker = $2',
      parameters: [experimentId, worker],
    });
  }

  async holdSlot(id: string, { host, slots }: { host: string; slots: number }): Promise<boolean> {
    const [row] = await this.#database.whenAnswered(() =>
      this.#database.transaction(async (run) => {
        await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [CLAIM_LOCK] });
        await run({
          sql: `insert into place_leases (id, host, since, until)
                  values ($1, $2, clock_timestamp(), clock_timestamp() + $3 * interval '1 millisecond')
                on conflict (id) do update set until = excluded.until`,
          parameters: [id, host, this.leaseMs],
        });
        await run({ sql: 'delete from place_leases where until <= clock_timestamp()', parameters: [] });
        return run({
          sql: `select 1 as one from place_leases own where own.id = $1 and $3 >
                  (select count(*) from leases where host = $2 and until > clock_timestamp())
                  + (select count(*) from place_leases other
                     where other.host = $2 and (other.since, other.id) < (own.since, own.id))`,
          parameters: [id, host, slots],
        });
      }),
    );
    return row !== undefined;
  }

  async dropSlot(id: string): Promise<void> {
    await this.#run({ sql: 'delete from place_leases where id = $1', parameters: [id] });
  }
}

/** The length of a run's log, its epoch, and whether it has ended. */
export async function positionOf(run: Run, runId: string): Promise<z.infer<typeof position> | undefined> {
  const [row] = await run({
    sql: 'select last_seq, epoch, phase from runs where id = $1 and epoch >= 0',
    parameters: [runId],
  });
  return row && position.parse(row);
}

function toClaim(row: unknown): { epoch: number; lastSeq: number } {
  const { epoch, last_seq: lastSeq } = claimed.parse(row);
  return { epoch, lastSeq };
}

/** Number of leases and checks that occupy a slot of model server $3 or wait ahead of all runs. */
const SLOTS_TAKEN = `((select count(*) from leases where host = $3 and until > clock_timestamp())
  + (select count(*) from place_leases where host = $3 and until > clock_timestamp()))`;

/** Leases the runs in `taken`: $2 worker, $3 model server, $4 duration in milliseconds. */
const LEASE_TAKEN = `leased as (
  insert into leases (run_id, epoch, worker, host, until)
    select id, epoch, $2, $3, clock_timestamp() + $4 * interval '1 millisecond' from taken
  on conflict (run_id) do update
    set epoch = excluded.epoch, worker = excluded.worker, host = excluded.host, until = excluded.until, passed_at = null)`;
