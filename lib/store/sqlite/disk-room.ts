import { join } from 'node:path';
import { freeBytes, totalBytes } from '../data-directory.ts';
import { StorageFullError } from '../store-errors.ts';
import { Ballast } from './ballast.ts';

const MEGABYTE = 1024 * 1024;
const DEFAULT_RESERVE_MEGABYTES = 16;
/** Max share of a small disk that the reserve takes. */
const LARGEST_SHARE = 1 / 4;

/**
 * Whether the disk of a data directory accepts writes, and the reserve for when it does not. Once the disk is full,
 * everything except the end of a run, a deletion, a revocation and signing in or out is refused, so that the reserve is
 * left to those. Writes are accepted again as soon as the reserve is complete and the same amount of space is free.
 */
export class DiskRoom {
  readonly #dataDir: string;
  readonly #ballast: Ballast;
  #full = false;
  /** Called when the disk has become full. */
  onFull: () => void = () => undefined;

  constructor(dataDir: string, { reserveMegabytes = DEFAULT_RESERVE_MEGABYTES } = {}) {
    this.#dataDir = dataDir;
    const bytes = Math.min(reserveMegabytes * MEGABYTE, totalBytes(dataDir) * LARGEST_SHARE);
    this.#ballast = new Ballast(join(dataDir, 'ballast'), { bytes });
  }

  /** The first check, once the store is open. */
  begin(): void {
    if (freeBytes(this.#dataDir) < this.#ballast.partBytes) this.ranOut();
    else this.reclaim();
  }

  /** Call when a write failed on a full disk. */
  ranOut(): void {
    if (this.#full) return;
    this.#full = true;
    this.onFull();
  }

  /** Frees space for a required write. Returns `false` if the reserve is used up. */
  giveRoom(): boolean {
    this.ranOut();
    return this.#ballast.release();
  }

  /** Refills the reserve as far as possible before other programs use the space. Leaves one part's size free. */
  reclaim(): void {
    this.#ballast.fill(freeBytes(this.#dataDir) - this.#ballast.partBytes);
  }

  /** Why writes are currently refused; `undefined` if they are not. Checks again whether there is space. */
  refusal(): StorageFullError | undefined {
    if (!this.#full) return undefined;
    const { bytes, size } = this.#ballast;
    const free = freeBytes(this.#dataDir);
    const missing = 2 * bytes - size - free;
    if (missing <= 0 && this.#ballast.fill(free)) {
      this.#full = false;
      return undefined;
    }
    return new StorageFullError(this.#dataDir, { freeBytes: free, missingBytes: missing });
  }
}
