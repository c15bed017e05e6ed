import type { Compilable, Kysely } from 'kysely';
import { z } from 'zod';
import type { StoreTables } from './schema.ts';

export const standingApprovalId = z.object({ id: z.string() });

/** Deletes these approvals, or all of them, and returns their IDs. */
export function revokedApprovals(db: Kysely<StoreTables>, ids?: readonly string[]): Compilable {
  const all = db.deleteFrom('standing_approvals').returning('id');
  return ids === undefined ? all : all.where('id', 'in', ids);
}
