import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const KILOBYTE = 1024;
const CHUNK_BYTES = 64 * KILOBYTE;
/** The reserve is released in parts, because other programs may take the freed space. */
const PARTS = 4;

/**
 * A file of random bytes next to the database that reserves space for a full disk. Releasing part of it leaves space to
 * write how the active runs ended and to delete runs (docs/decisions/0035). The bytes are random, because zeros take no
 * space on a file system that compresses.
 */
export class Ballast {
  readonly #path: string;
  /** The size of the full reserve in bytes. */
  readonly bytes: number;

  constructor(path: string, { bytes }: { bytes: number }) {
    this.#path = path;
    this.bytes = Math.max(PARTS * CHUNK_BYTES, bytes - (bytes % (PARTS * CHUNK_BYTES)));
  }

  /** How much one `release` frees, in bytes. */
  get partBytes(): number {
    return this.bytes / PARTS;
  }

  /** Its current size in bytes. */
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
      this.release(); // the disk has less space than it reports, so leave it free
    } finally {
      if (file !== undefined) closeSync(file);
    }
    return this.size >= this.bytes;
  }

  /** Releases a part to the file system. Returns `false` if nothing was left. */
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
