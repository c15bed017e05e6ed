import type { ImageRef } from '../events/image.ts';

/** An image as a store keeps it. */
export interface StoredImage extends Pick<ImageRef, 'hash' | 'type'> {
  data: Uint8Array;
}

export interface ImageReader {
  /** An image of a run; `undefined` if the run has none with this hash. */
  image(runId: string, hash: string): Promise<StoredImage | undefined>;
  /** The images of a run without their bytes, by hash. */
  imagesOf(runId: string): Promise<{ hash: string; bytes: number }[]>;
}

/** Keeps the images of runs, each once per run. They are deleted with their run, and copied to its forks. */
export interface ImageStore extends ImageReader {
  /** Keeps images of a run; those that it has stay as they are. @throws {RunNotFoundError} */
  keepImages(runId: string, images: readonly StoredImage[]): Promise<void>;
}
