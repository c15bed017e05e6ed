import { closeSync, readlinkSync } from 'node:fs';

/** Max folders kept open per workspace. */
const MAX_FOLDERS = 64;
/** How long a folder is reused before it is walked to again, in milliseconds. */
const MAX_AGE_MS = 1000;

interface KnownFolder {
  readonly fd: number;
  /** Its path according to the kernel, unless it or a folder above it is moved, replaced or deleted. */
  readonly path: string;
  readonly walkedAt: number;
  /** Operations that use it. */
  users: number;
}

/** A folder during one operation. */
export interface EnteredFolder {
  readonly fd: number;
  leave(): void;
}

/**
 * Open folders of a held workspace, kept for later operations because agents read many files in few folders. Each use
 * first checks that the folder is still in place, by its descriptor and not by its path, so no link is followed.
 *
 * A file system that has been mounted over a folder is noticed when it is walked to again, after a second. Linux only.
 */
export class KnownFolders {
  readonly #root: string;
  /** By path, in the order in which they were opened. */
  readonly #folders = new Map<string, KnownFolder>();
  #isClosed = false;

  /** @param root the canonical path of the workspace */
  constructor(root: string) {
    this.#root = root;
  }

  /** Enters a folder, not the workspace itself, that is open and still in its place. */
  enter(steps: readonly string[]): EnteredFolder | undefined {
    const path = this.#pathOf(steps);
    const folder = this.#folders.get(path);
    if (!folder) return undefined;
    if (performance.now() - folder.walkedAt <= MAX_AGE_MS && isInPlace(folder)) return this.#use(folder);
    this.#forget(folder);
    return undefined;
  }

  /** Takes over the descriptor of a folder that was just walked to, and enters it. */
  keep(steps: readonly string[], fd: number): EnteredFolder {
    const folder = { fd, path: this.#pathOf(steps), walkedAt: performance.now(), users: 0 };
    const other = this.#folders.get(folder.path);
    if (other) this.#forget(other);
    if (!this.#isClosed) this.#folders.set(folder.path, folder);
    const entered = this.#use(folder);
    const [oldest] = this.#folders.values();
    if (oldest && this.#folders.size > MAX_FOLDERS) this.#forget(oldest);
    return entered;
  }

  close(): void {
    this.#isClosed = true;
    for (const folder of [...this.#folders.values()]) this.#forget(folder);
  }

  #pathOf(steps: readonly string[]): string {
    return `${this.#root === '/' ? '' : this.#root}/${steps.join('/')}`;
  }

  #use(folder: KnownFolder): EnteredFolder {
    folder.users += 1;
    return {
      fd: folder.fd,
      leave: () => {
        folder.users -= 1;
        this.#closeUnused(folder);
      },
    };
  }

  #forget(folder: KnownFolder): void {
    this.#folders.delete(folder.path);
    this.#closeUnused(folder);
  }

  #closeUnused(folder: KnownFolder): void {
    if (folder.users === 0 && this.#folders.get(folder.path) !== folder) closeSync(folder.fd);
  }
}

/** Whether the kernel still reports the same path for the open folder (proc_pid_fd(5)). */
function isInPlace({ fd, path }: KnownFolder): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch {
    return false; // walking to it will report the problem
  }
}
