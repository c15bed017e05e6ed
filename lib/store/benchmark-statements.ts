import type { Kysely } from 'kysely';
import {
  type BenchmarkEvidence,
  type BenchmarkRecord,
  type BenchmarkResult,
  benchmarkEvidence,
  benchmarkRecord,
  benchmarkResult,
} from '../api/benchmark.ts';
import type { BenchmarkChange, BenchmarkHold } from './benchmark-store.ts';
import { valueFromRow } from './body-row.ts';
import type { StoreTables } from './schema.ts';

/** Selects benchmarks with the number of their results, newest first. */
export function benchmarksWithCounts(db: Kysely<StoreTables>) {
  return db
    .selectFrom('benchmarks')
    .select(['body'])
    .select((each) =>
      each
        .selectFrom('benchmark_results')
        .whereRef('benchmark_results.benchmark_id', '=', 'benchmarks.id')
        .select((all) => all.fn.countAll<number>().as('count'))
        .as('done'),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id');
}

/** Stores a new benchmark. */
export function createdBenchmark(db: Kysely<StoreTables>, record: BenchmarkRecord) {
  const { id, created_at } = record;
  const body = bodyOf(record);
  return db
    .insertInto('benchmarks')
    .values({ id, created_at, body, worker: '', held_at: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ body }));
}

/** Selects a benchmark. */
export function benchmarkOf(db: Kysely<StoreTables>, id: string) {
  return db.selectFrom('benchmarks').select('body').where('id', '=', id);
}

/** A stored benchmark with its change, or `undefined` if nothing changes. @param row the result of `benchmarkOf` */
export function changedBenchmark(
  row: unknown,
  { from, problem, details, ...values }: BenchmarkChange,
): BenchmarkRecord | undefined {
  if (row === undefined) return undefined;
  const stored = benchmarkRecord.parse(valueFromRow(row));
  if (from && !from.includes(stored.status)) return undefined;
  return {
    ...stored,
    ...values,
    details: { ...stored.details, ...details },
    problem: problem === null ? undefined : (problem ?? stored.problem),
  };
}

/** Stores the new state of a benchmark. Its worker does not change. */
export function savedBenchmark(db: Kysely<StoreTables>, record: BenchmarkRecord) {
  return db
    .updateTable('benchmarks')
    .set({ body: bodyOf(record) })
    .where('id', '=', record.id);
}

function bodyOf(record: BenchmarkRecord): string {
  return JSON.stringify(benchmarkRecord.parse(record));
}

/** Adds the result of one case. An existing result is kept. */
export function addedResult(
  db: Kysely<StoreTables>,
  id: string,
  { result, evidence }: { result: BenchmarkResult; evidence: BenchmarkEvidence },
) {
  return db
    .insertInto('benchmark_results')
    .values({
      benchmark_id: id,
      position: result.position,
      body: JSON.stringify(benchmarkResult.parse(result)),
      evidence: JSON.stringify(benchmarkEvidence.parse(evidence)),
    })
    .onConflict((conflict) => conflict.columns(['benchmark_id', 'position']).doNothing());
}

/** Claims a benchmark that no worker holds, or whose worker has sent no heartbeat since `staleBefore`. */
export function heldBenchmark(
  db: Kysely<StoreTables>,
  id: string,
  { worker, now, staleBefore }: BenchmarkHold,
) {
  return db
    .updateTable('benchmarks')
    .set({ worker, held_at: now })
    .where('id', '=', id)
    .where((each) => each.or([each('worker', 'in', ['', worker]), each('held_at', '<', staleBefore)]));
}

/** Releases a benchmark, if the worker still holds it. */
export function releasedBenchmark(db: Kysely<StoreTables>, id: string, worker: string) {
  return db.updateTable('benchmarks').set({ worker: '' }).where('id', '=', id).where('worker', '=', worker);
}
