import { type Compilable, type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { imageRef } from '../events/image.ts';
import type { StoredImage } from './image-store.ts';
import type { StoreTables } from './schema.ts';

type Db = Kysely<StoreTables>;

export const imageRow = z.object({
  hash: z.string(),
  type: imageRef.shape.type,
  data: z.instanceof(Uint8Array),
});
export const imageSizeRow = z.object({ hash: z.string(), bytes: z.coerce.number() });

export function imageQuery(db: Db, runId: string, hash: string): Compilable {
  return db
    .selectFrom('run_images')
    .select(['hash', 'type', 'data'])
    .where('run_id', '=', runId)
    .where('hash', '=', hash);
}

export function imageSizes(db: Db, runId: string): Compilable {
  return db
    .selectFrom('run_images')
    .select(['hash', sql<number>`length(data)`.as('bytes')])
    .where('run_id', '=', runId)
    .orderBy('hash');
}

export function keptImage(db: Db, runId: string, { hash, type, data }: StoredImage): Compilable {
  return db
    .insertInto('run_images')
    .values({ run_id: runId, hash, type, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) })
    .onConflict((conflict) => conflict.doNothing());
}

/** Copies the images of a run to another. */
export function copiedImages(db: Db, from: string, to: string): Compilable {
  return db
    .insertInto('run_images')
    .columns(['run_id', 'hash', 'type', 'data'])
    .expression((eb) =>
      eb
        .selectFrom('run_images')
        .select((each) => [each.val(to).as('run_id'), 'hash', 'type', 'data'])
        .where('run_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing());
}
