import type { Kysely } from 'kysely';
import { z } from 'zod';
import { steadyNow } from '../util/steady-clock.ts';
import type { KeyedKind, KeyUse, RequestKey } from './request-key.ts';
import type { StoreTables } from './schema.ts';

const keyUseRow = z.object({ id: z.string(), request_hash: z.string() });

/** Selects what a key was used for. */
export function keyUseQuery(db: Kysely<StoreTables>, kind: KeyedKind, key: string) {
  return db
    .selectFrom('request_keys')
    .select(['id', 'request_hash'])
    .where('kind', '=', kind)
    .where('key', '=', key);
}

/** Reads a row of `keyUseQuery`; `undefined` without a row. */
export function keyUseFromRow(row: unknown): KeyUse | undefined {
  return row === undefined ? undefined : keyUseRow.parse(row);
}

/** Keeps a key with what it creates, unless it was used before. */
export function keptKey(
  db: Kysely<StoreTables>,
  { kind, id, key, request_hash }: RequestKey & { kind: KeyedKind; id: string },
) {
  return db
    .insertInto('request_keys')
    .values({ kind, key, id, request_hash, created_at: steadyNow() })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing());
}
