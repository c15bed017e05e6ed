import type { Compilable, Kysely } from 'kysely';
import { z } from 'zod';
import { type SuiteCase, type SuiteRecord, suiteRecord } from '../api/suite.ts';
import { MAX_SUITE_VERSIONS } from '../events/limits.ts';
import { nameKey } from '../util/name-key.ts';
import type { StoreTables } from './schema.ts';

const hashRow = z.object({ hash: z.string() });

/** The statement that stores the cases of an experiment. */
export function savedCases(
  db: Kysely<StoreTables>,
  experimentId: string,
  cases: readonly SuiteCase[],
): Compilable {
  const body = JSON.stringify(cases);
  return db
    .insertInto('experiment_cases')
    .values({ experiment_id: experimentId, body })
    .onConflict((conflict) => conflict.column('experiment_id').doUpdateSet({ body }));
}

/** Selects another suite with the same name. */
export function namesakeOf(db: Kysely<StoreTables>, { id, name }: SuiteRecord) {
  return db.selectFrom('suites').select('id').where('name_key', '=', nameKey(name)).where('id', '!=', id);
}

/** Selects the hash of the current version. */
export function hashOf(db: Kysely<StoreTables>, id: string) {
  return db.selectFrom('suites').select('hash').where('id', '=', id);
}

/** Whether the current version is not the one that was changed. The same change may be stored again. */
export function isChanged(stored: unknown, suite: SuiteRecord, base: string | undefined): boolean {
  if (base === undefined) return false;
  if (stored === undefined) return true;
  const { hash } = hashRow.parse(stored);
  return hash !== base && hash !== suite.hash;
}

/** Selects from the versions of a suite, newest first. */
export function newestVersions(db: Kysely<StoreTables>, id: string) {
  return db
    .selectFrom('suite_versions')
    .where('suite_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('hash');
}

/** The statements that store a suite and its current version, and delete surplus versions. */
export function savedSuite(
  db: Kysely<StoreTables>,
  suite: SuiteRecord,
  cases: readonly SuiteCase[],
): Compilable[] {
  const { id, name, hash, created_at, updated_at } = suite;
  const values = { name_key: nameKey(name), hash, body: JSON.stringify(suiteRecord.parse(suite)) };
  const kept = newestVersions(db, id).select('hash').limit(MAX_SUITE_VERSIONS);
  return [
    db
      .insertInto('suites')
      .values({ id, created_at, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values)),
    db
      .insertInto('suite_versions')
      .values({
        suite_id: id,
        hash,
        cases: cases.length,
        created_at: updated_at,
        body: JSON.stringify(cases),
      })
      // A version that becomes current again also becomes the newest.
      .onConflict((conflict) =>
        conflict.columns(['suite_id', 'hash']).doUpdateSet({ created_at: updated_at }),
      ),
    db.deleteFrom('suite_versions').where('suite_id', '=', id).where('hash', 'not in', kept),
  ];
}
