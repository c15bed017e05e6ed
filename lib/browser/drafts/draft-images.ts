import { IMAGE_LIMITS } from '../../events/limits.ts';
import { type ImageType, readImageHeader } from '../../util/image-header.ts';
import { megabytes } from '../../util/numbers.ts';

/** An image that a person attaches: as the API takes it. */
export interface DraftImage {
  readonly name: string;
  /** In base64. */
  readonly data: string;
}

/** The `data:` URL that shows an image, by the type that its bytes have. */
export function draftImageUrl({ data }: DraftImage): string {
  const type: ImageType =
    readImageHeader(Uint8Array.from(atob(data.slice(0, 400)), (sign) => sign.charCodeAt(0)))?.type ?? 'jpeg';
  return `data:image/${type};base64,${data}`;
}

/**
 * Adds files to the images that are attached already, as far as the limits allow.
 *
 * @returns all images, and what is wrong with the files that were left out
 */
export async function withFiles(
  images: readonly DraftImage[],
  files: readonly File[],
): Promise<{ images: readonly DraftImage[]; problem?: string }> {
  const all = [...images];
  const problems: string[] = [];
  for (const file of files) {
    const problem = all.length >= IMAGE_LIMITS.max_attached ? tooMany() : await problemOf(file, all);
    if (problem === undefined) all.push({ name: file.name || 'pasted image', data: await base64(file) });
    else problems.push(problem);
  }
  const [problem] = problems;
  return problem === undefined ? { images: all } : { images: all, problem };
}

async function problemOf(file: File, attached: readonly DraftImage[]): Promise<string | undefined> {
  const name = file.name || 'The pasted image';
  if (file.size > IMAGE_LIMITS.max_file_bytes) {
    return `${name} is larger than ${megabytes(IMAGE_LIMITS.max_file_bytes)}.`;
  }
  const total = attached.reduce((sum, { data }) => sum + (data.length * 3) / 4, file.size);
  if (total > IMAGE_LIMITS.max_attached_bytes) {
    return `The images are larger than ${megabytes(IMAGE_LIMITS.max_attached_bytes)} in total.`;
  }
  const header = readImageHeader(new Uint8Array(await file.arrayBuffer()));
  if (!header) return `${name} is not a PNG, JPEG, WebP or GIF image.`;
  return header.width * header.height > IMAGE_LIMITS.max_pixels ? `${name} has too many pixels.` : undefined;
}

function tooMany(): string {
  return `At most ${IMAGE_LIMITS.max_attached} images can be attached.`;
}

/** The bytes of a file in base64. */
export async function base64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  // `fromCharCode` takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(''));
}
