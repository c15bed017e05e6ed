import type { ImageRef } from '../../events/image.ts';
import { ApiError, getBlob } from '../api.ts';

/**
 * Finds the bytes of a run's image, as a `data:` URL: the only address from which a page may show an image of a run.
 * Resolves to `undefined` if they are unavailable.
 */
export type ImageSource = (image: ImageRef) => Promise<string | undefined>;

/** @param place returns the run's URL, such as `/api/runs/ID` or a share link; called for every request */
export function imagesAt(place: () => string): ImageSource {
  const known = new Map<string, Promise<string | undefined>>();
  return (image) => {
    const { hash } = image;
    const asked = known.get(hash) ?? load(`${place()}/images/${hash}`, image);
    known.set(hash, asked);
    // A failed request may succeed later.
    asked.catch(() => known.delete(hash));
    return asked;
  };
}

/** The images that are part of a page, by hash. */
export function imagesIn(images: Readonly<Record<string, string>> | undefined): ImageSource {
  return async ({ hash }) => (images && Object.hasOwn(images, hash) ? images[hash] : undefined);
}

async function load(path: string, { type }: ImageRef): Promise<string | undefined> {
  try {
    const [blob, { base64 }] = await Promise.all([getBlob(path), import('../drafts/draft-images.ts')]);
    return `data:image/${type};base64,${await base64(blob)}`;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
