import type { ImageRef } from '../events/image.ts';

/** A stored image. */
export interface StoredImage extends Pick<ImageRef, 'hash' | 'type'> {
  data: Uint8Array;
}

export interface ImageReader {
  /** An image of a run; `undefined` if the run has none with this hash. */
  image(runId: string, hash: string): Promise<StoredImage | undefined>;
  /** The images of a run without their bytes, by hash. */
  imagesOf(runId: string): Promise<{ hash: string; bytes: number }[]>;
}

/** Stores the images of runs, each once per run. They are deleted with their run and copied to its forks. */
export interface ImageStore extends ImageReader {
  /** Stores images of a run; existing ones are unchanged. @throws {RunNotFoundError} */
  keepImages(runId: string, images: readonly StoredImage[]): Promise<void>;
}
