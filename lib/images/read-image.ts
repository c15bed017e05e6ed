import { createHash } from 'node:crypto';
import { AppError } from '../errors/app-error.ts';
import { type ImageRef, MAX_IMAGE_NAME_CHARS, type NamedImage } from '../events/image.ts';
import { IMAGE_LIMITS } from '../events/limits.ts';
import { type ImageHeader, readImageHeader } from '../util/image-header.ts';
import { formatCount, megabytes } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { drawInThread } from './draw-in-thread.ts';
import { jpegOrientation } from './jpeg-orientation.ts';

/** An image that can be kept, shown and sent. */
export interface ReadImage {
  readonly ref: ImageRef;
  readonly data: Uint8Array;
}

/**
 * Reads an image that a person attached or a tool returned. Its type is detected from its bytes. It is decoded and
 * re-encoded, no larger than models need, so that only its pixels are kept: no metadata, scripts or other files.
 *
 * @throws {AppError} `image_refused`, with what is wrong with it
 */
export async function readImage({ name, data }: NamedImage, signal: AbortSignal): Promise<ReadImage> {
  const shown = cleanName(name);
  const header = checkedHeader(shown, data);
  const drawn = await drawInThread(
    { data, type: header.type, orientation: header.type === 'jpeg' ? jpegOrientation(data) : 1 },
    signal,
  ).catch((cause: unknown) => {
    signal.throwIfAborted();
    if (cause instanceof AppError) throw cause;
    throw refused(
      `"${shown}" is damaged and cannot be decoded.`,
      'Save it again with another program.',
      cause,
    );
  });
  if (!drawn) throw refused(`"${shown}" takes too long to decode.`, 'Use a smaller image.');
  if (drawn.data.length > IMAGE_LIMITS.max_kept_bytes) {
    throw refused(`"${shown}" is larger than ${megabytes(IMAGE_LIMITS.max_kept_bytes)} after scaling.`);
  }
  const { type, width, height } = drawn;
  const hash = createHash('sha256').update(drawn.data).digest('hex');
  return { ref: { hash, type, width, height, bytes: drawn.data.length, name: shown }, data: drawn.data };
}

function checkedHeader(name: string, data: Uint8Array): ImageHeader {
  if (data.length > IMAGE_LIMITS.max_file_bytes) {
    throw refused(
      `"${name}" is larger than ${megabytes(IMAGE_LIMITS.max_file_bytes)}.`,
      'Scale it down first.',
    );
  }
  const header = readImageHeader(data);
  if (!header) {
    throw refused(
      `"${name}" is not an image that models can receive.`,
      'Use PNG, JPEG, WebP or GIF. The content of the file counts, not its name.',
    );
  }
  if (header.width * header.height > IMAGE_LIMITS.max_pixels) {
    throw refused(
      `"${name}" has ${formatCount(header.width)} × ${formatCount(header.height)} pixels; at most ${formatCount(IMAGE_LIMITS.max_pixels)} are decoded.`,
      'Scale it down first.',
    );
  }
  return header;
}

/** A name on one line, without control or formatting characters. */
function cleanName(name: string): string {
  const line = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return textStart(line, MAX_IMAGE_NAME_CHARS) || 'image';
}

function refused(message: string, hint?: string, cause?: unknown): AppError {
  return new AppError({ code: 'image_refused', message, hint, cause });
}
