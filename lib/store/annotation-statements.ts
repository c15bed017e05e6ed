import type { Compilable, Kysely } from 'kysely';
import { z } from 'zod';
import { type AnnotationChange, annotated } from '../api/run-annotations.ts';
import type { RunExtras, RunSummary } from '../api/run-summary.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_TAGS } from '../events/limits.ts';
import { annotationRow } from './run-row.ts';
import { DELETED, type StoreTables } from './schema.ts';

/** Replaces the time of a deletion that can no longer be undone. */
const FINAL = 0;

export const runIdRow = z.object({ id: z.string() });

/**
 * Writes the annotations of a run after a change, within the transaction that read its extras.
 *
 * @throws {AppError} `too_many_tags`
 */
export function annotateStatements(
  db: Kysely<StoreTables>,
  runId: string,
  { annotations }: RunExtras,
  change: AnnotationChange,
): Compilable[] {
  const after = annotated(annotations, change);
  if (after === undefined) return [db.deleteFrom('annotations').where('run_id', '=', runId)];
  if ((after.tags?.length ?? 0) > MAX_TAGS) throw tooManyTags(runId);
  const { run_id, ...values } = annotationRow(runId, after);
  return [
    db
      .insertInto('annotations')
      .values({ run_id, ...values })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(values)),
  ];
}

/** Writes the annotations with which a run is imported, within the transaction that creates its row. */
export function importedAnnotations(
  db: Kysely<StoreTables>,
  { id, annotations }: Pick<RunSummary, 'id' | 'annotations'>,
): Compilable[] {
  return annotations === undefined ? [] : annotateStatements(db, id, {}, annotations);
}

function tooManyTags(runId: string): AppError {
  return new AppError({
    code: 'too_many_tags',
    message: `Run ${runId} would have more than ${MAX_TAGS} tags.`,
    hint: 'Remove some of its tags first. Nothing was changed.',
  });
}

/** Hides a run that has ended, and revokes its links. */
export function hideStatements(db: Kysely<StoreTables>, runId: string, at: number): Compilable[] {
  return [
    db
      .updateTable('shares')
      .set({ revoked_at: at })
      .where('run_id', '=', runId)
      .where('revoked_at', 'is', null),
    db.updateTable('runs').set({ epoch: DELETED, deleted_at: at }).where('id', '=', runId),
  ];
}

/** No worker holds an ended run, so its epoch may start again. */
export function restoreStatement(db: Kysely<StoreTables>, runIds: readonly string[]) {
  return db
    .updateTable('runs')
    .set({ epoch: 0, worker: null, deleted_at: null })
    .where('id', 'in', runIds)
    .where('epoch', '=', DELETED)
    .where('deleted_at', '>', FINAL)
    .returning('id');
}

/** Makes the runs deleted before a time, in milliseconds since 1970, impossible to restore. May run twice. */
export function finalDeletions(db: Kysely<StoreTables>, before: number) {
  return db
    .updateTable('runs')
    .set({ deleted_at: FINAL })
    .where('epoch', '=', DELETED)
    .where('deleted_at', '<', before)
    .returning('id');
}
