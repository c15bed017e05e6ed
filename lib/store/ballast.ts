import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const MEGABYTE = Buffer.alloc(1024 * 1024);

/**
 * A file of zeros beside the database. When the disk is full, giving it up leaves room to write down how the running
 * runs ended (SECURITY.md, faults).
 */
export class Ballast {
  readonly #path: string;
  readonly #megabytes: number;

  constructor(path: string, { megabytes = 16 }: { megabytes?: number } = {}) {
    this.#path = path;
    this.#megabytes = megabytes;
  }

  /** Puts the file there; when the disk has no room for it, there is none. Returns whether it is there now. */
  fill(): boolean {
    const size = this.#megabytes * MEGABYTE.length;
    if (statSync(this.#path, { throwIfNoEntry: false })?.size === size) return true;
    let file: number | undefined;
    try {
      file = openSync(this.#path, 'w', 0o600);
      for (let written = 0; written < this.#megabytes; written++) writeFully(file);
      fsyncSync(file);
      return true;
    } catch {
      rmSync(this.#path, { force: true }); // a disk without room for the reserve is left with what room it has
      return false;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /** Gives the space back. Returns `false` when there was none left to give. */
  release(): boolean {
    const there = statSync(this.#path, { throwIfNoEntry: false }) !== undefined;
    rmSync(this.#path, { force: true });
    return there;
  }
}

function writeFully(file: number): void {
  let offset = 0;
  while (offset < MEGABYTE.length) offset += writeSync(file, MEGABYTE, offset);
}
