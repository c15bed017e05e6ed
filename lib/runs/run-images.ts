import type { RunImages } from '../engine/run-images.ts';
import { AppError } from '../errors/app-error.ts';
import type { ImageRef, NamedImage } from '../events/image.ts';
import { IMAGE_LIMITS } from '../events/limits.ts';
import { type ReadImage, readImage } from '../images/read-image.ts';
import type { ImageStore, StoredImage } from '../store/image-store.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { plural } from '../util/numbers.ts';

/**
 * The images of a run in a store, for its loop.
 *
 * @param work aborted when this process stops working on the run
 */
export function runImagesIn(
  store: Pick<ImageStore, 'image' | 'keepImages'>,
  runId: string,
  work: AbortSignal,
): RunImages {
  return {
    async keep(brought, kept, signal) {
      const images: ImageRef[] = [];
      const refusals: string[] = [];
      const stored = new Map(kept);
      for (const image of brought.slice(0, IMAGE_LIMITS.max_per_result)) {
        try {
          const read = await readImage(image, signal);
          requireRoom(read.ref, stored);
          await retryWhileBusy(() => store.keepImages(runId, [toStored(read)]), {
            subject: `Run ${runId}`,
            signal,
          });
          stored.set(read.ref.hash, read.ref.bytes);
          images.push(read.ref);
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'image_refused') throw error;
          refusals.push(`An image was left out: ${error.message}`);
        }
      }
      const surplus = brought.length - IMAGE_LIMITS.max_per_result;
      if (surplus > 0) refusals.push(`${plural(surplus, 'more image')} were left out.`);
      return { images, refusals };
    },
    async load(hash) {
      const image = await retryWhileBusy(() => store.image(runId, hash), {
        subject: `Run ${runId}`,
        signal: work,
      });
      return image && base64(image.data);
    },
  };
}

/**
 * Reads the images that a person attached.
 *
 * @param kept bytes of the images that the run has, by hash
 * @throws {AppError} `image_refused`
 */
export async function readAttached(
  images: readonly NamedImage[],
  kept: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<{ refs: ImageRef[]; stored: StoredImage[] }> {
  const reads: ReadImage[] = [];
  const known = new Map(kept);
  for (const image of images) {
    const read = await readImage(image, signal);
    requireRoom(read.ref, known);
    known.set(read.ref.hash, read.ref.bytes);
    reads.push(read);
  }
  return { refs: reads.map(({ ref }) => ref), stored: reads.map(toStored) };
}

/** @throws {AppError} `image_refused` if the images of the run would take too much space */
function requireRoom({ hash, bytes, name }: ImageRef, kept: ReadonlyMap<string, number>): void {
  if (kept.has(hash)) return;
  const total = [...kept.values()].reduce((sum, each) => sum + each, bytes);
  if (total <= IMAGE_LIMITS.max_run_bytes) return;
  throw new AppError({
    code: 'image_refused',
    message: `"${name}" does not fit: the images of a run take at most ${IMAGE_LIMITS.max_run_bytes / 1024 / 1024} MB.`,
    hint: 'Start a new run for more images.',
  });
}

function toStored({ ref, data }: ReadImage): StoredImage {
  return { hash: ref.hash, type: ref.type, data };
}

export function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}
