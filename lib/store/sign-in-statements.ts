import type { Compilable, Kysely } from 'kysely';
import { z } from 'zod';
import type { StoreTables } from './schema.ts';

export const signInId = z.object({ id: z.string() });

/** IDs of the sign-ins that were seen most recently. */
export function recentSignIns(db: Kysely<StoreTables>, limit: number) {
  return db.selectFrom('sign_ins').select('id').orderBy('last_seen_at', 'desc').orderBy('id').limit(limit);
}

/** Deletes these sign-ins, or all of them, and returns their IDs. */
export function deletedSignIns(db: Kysely<StoreTables>, ids?: readonly string[]): Compilable {
  const all = db.deleteFrom('sign_ins').returning('id');
  return ids === undefined ? all : all.where('id', 'in', ids);
}
