import { AppError } from '../errors/app-error.ts';
import type { ImageRef } from '../events/image.ts';
import { askThread } from '../util/ask-thread.ts';
import type { ImageType } from '../util/image-header.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import type { Orientation } from './jpeg-orientation.ts';

/** An image for the thread. */
export interface ToDraw {
  data: Uint8Array;
  type: ImageType;
  orientation: Orientation;
}

/** The kept part of an image: its pixels. */
export interface DrawnImage {
  type: ImageRef['type'];
  data: Uint8Array;
  width: number;
  height: number;
}

/** The largest accepted image takes about two seconds on a slow machine. */
const MAX_DRAW_MS = 20_000;

/** A decoded image takes up to 160 MB, so there is never more than one. */
const turns = new OneAtATime({
  maxWaiting: 100,
  full: () =>
    new AppError({
      code: 'image_refused',
      message: 'Too many images are being read.',
      hint: 'Try again in a moment.',
    }),
});

/**
 * Decodes and re-encodes an image in a separate thread with a time limit.
 *
 * @returns `undefined` if it takes too long
 * @throws the reason of the signal; an error if it cannot be decoded, which ends the thread
 */
export function drawInThread(job: ToDraw, signal: AbortSignal): Promise<DrawnImage | undefined> {
  const module = new URL('./image-thread.ts', import.meta.url);
  return turns.run(() => askThread<DrawnImage>(module, job, { signal, maxMs: MAX_DRAW_MS }), signal);
}
