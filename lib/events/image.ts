import { z } from 'zod';

export const MAX_IMAGE_NAME_CHARS = 100;

/**
 * An image of a run. Its bytes are in the store, once per run, under their hash; events only refer to them.
 */
export const imageRef = z.object({
  /** SHA-256 of the bytes, in hexadecimal digits. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  type: z.enum(['png', 'jpeg']),
  width: z.int().positive(),
  height: z.int().positive(),
  bytes: z.int().positive(),
  /** As the person or the tool named it. */
  name: z.string().max(MAX_IMAGE_NAME_CHARS),
});

export const imageRefs = z.array(imageRef).readonly();
export type ImageRef = Readonly<z.infer<typeof imageRef>>;

/** An image as it arrives: from a person, or from a tool. Nothing about it has been checked. */
export interface NamedImage {
  readonly name: string;
  readonly data: Uint8Array;
}

/** The images of a run. */
export interface KnownImages {
  /** The bytes of each image by hash, as the store keeps them for the run. */
  readonly kept: ReadonlyMap<string, number>;
  /** Measured tokens of an image as a multiple of the estimate, once a server has counted. */
  readonly factor: number | undefined;
}
