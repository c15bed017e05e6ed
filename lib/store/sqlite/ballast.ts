import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const KILOBYTE = 1024;
const CHUNK_BYTES = 64 * KILOBYTE;
/** The reserve is released in parts, because other programs may take the freed space. */
const PARTS = 4;

/**
 * A file of noise beside the database: room that stays ours when the disk is full. Giving part of it back leaves room to
 * write how the running runs ended and to delete runs (docs/decisions/0035). Noise, since zeros take no room on a file
 * system that compresses.
 */
export class Ballast {
  readonly #path: string;
  /** The size of the full reserve in bytes. */
  readonly bytes: number;

  constructor(path: string, { bytes }: { bytes: number }) {
    this.#path = path;
    this.bytes = Math.max(PARTS * CHUNK_BYTES, bytes - (bytes % (PARTS * CHUNK_BYTES)));
  }

  /** What one `release` gives back, in bytes. */
  get partBytes(): number {
    return this.bytes / PARTS;
  }

  /** The room that it holds at the moment, in bytes. */
  get size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Refills the reserve with at most `available` bytes. Returns whether it is full. */
  fill(available: number): boolean {
    const goal = Math.min(this.bytes, this.size + Math.max(0, available));
    if (this.size >= goal) return this.size >= this.bytes;
    let file: number | undefined;
    try {
      file = openSync(this.#path, 'a', 0o600);
      const noise = Buffer.alloc(CHUNK_BYTES);
      while (this.size + CHUNK_BYTES <= goal) writeSync(file, randomFillSync(noise));
      fsyncSync(file);
    } catch {
      this.release(); // the disk has less room than it says: none of it is ours to take
    } finally {
      if (file !== undefined) closeSync(file);
    }
    return this.size >= this.bytes;
  }

  /** Gives a part back to the file system. Returns `false` when there was none left to give. */
  release(): boolean {
    const { size } = this;
    if (size <= this.partBytes) {
      rmSync(this.#path, { force: true });
      return size > 0;
    }
    const file = openSync(this.#path, 'r+');
    try {
      ftruncateSync(file, size - this.partBytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return true;
  }
}
