import type { ImageRef, NamedImage } from '../events/image.ts';
import { withImagesInWords } from '../events/message-images.ts';
import type { ChatRequest } from '../model/chat-model.ts';

/** The images of a run: the loop's only access to their bytes. */
export interface RunImages {
  /**
   * Checks images that a tool returned, and stores those that can be kept.
   *
   * @param kept bytes of the images that the run already has, by hash
   * @returns also, as sentences, why others were refused
   */
  keep(
    images: readonly NamedImage[],
    kept: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<{ images: ImageRef[]; refusals: string[] }>;
  /** An image in base64; `undefined` if it is not in the store. */
  load(hash: string): Promise<string | undefined>;
}

/**
 * A request with the bytes of its images. An image that is not in the store, because a file was imported without it, is
 * replaced by a text.
 */
export async function withImageBytes(
  request: ChatRequest,
  load: RunImages['load'],
  known = new Map<string, string>(),
): Promise<ChatRequest> {
  const hashes = new Set(request.messages.flatMap(({ images = [] }) => images.map(({ hash }) => hash)));
  if (hashes.size === 0) return request;
  for (const hash of known.keys()) if (!hashes.has(hash)) known.delete(hash);
  for (const hash of hashes) {
    const bytes = known.get(hash) ?? (await load(hash));
    if (bytes !== undefined) known.set(hash, bytes);
  }
  const messages = request.messages.map((message) =>
    message.images?.some(({ hash }) => !known.has(hash))
      ? withImagesInWords(message, (names) => `Images that are no longer there: ${names}.`)
      : message,
  );
  return { ...request, messages, images: new Map(known) };
}
