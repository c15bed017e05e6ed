import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { AppError } from '../errors/app-error.ts';
import { perform, readFd } from './file-calls.ts';
import { type OpenedFile, type OpenFolder, openFolderAt } from './workspace-files.ts';

/** Limits for a copy of a workspace. */
export interface CopyLimits {
  /** Max number of files and folders. Default: 20,000. */
  entries?: number;
  /** Max total size. Default: 500 MB. */
  bytes?: number;
}

export interface CopiedWorkspace {
  files: number;
  bytes: number;
  /**
   * Entries that were not copied: links, pipes and the like, unreadable or vanished entries, and paths too long to open.
   * A folder counts once, whatever it contains.
   */
  leftOut: number;
}

/** Maximum path length for system calls, in bytes (PATH_MAX in linux/limits.h and sys/syslimits.h). */
const MAX_PATH_BYTES = (process.platform === 'linux' ? 4096 : 1024) - 1;

const CHUNK_BYTES = 256 * 1024;

/** A folder being copied. Its descriptors stay open until its last subfolder has been opened. */
interface Level {
  from: OpenFolder;
  to: OpenFolder;
  pathBytes: number;
  folders: Buffer[];
}

/**
 * Copies a workspace into an empty folder. Links are neither followed nor copied, even if an entry is replaced by one
 * meanwhile, so a copy never contains files from outside the workspace (O5). File modes are kept. Takes time proportional
 * to the number of entries, at any depth.
 *
 * @param to absolute real path
 * @throws {AppError} `workspace_too_large` if the limits are exceeded; the caller must remove the partial copy
 */
export async function copyWorkspace(
  from: string,
  to: string,
  limits: CopyLimits = {},
): Promise<CopiedWorkspace> {
  const copy = new WorkspaceCopy(from, limits);
  return copy.make(to);
}

class WorkspaceCopy {
  readonly #source: string;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #copied: CopiedWorkspace = { files: 0, bytes: 0, leftOut: 0 };
  readonly #levels: Level[] = [];
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #seen = 0;

  constructor(source: string, { entries = 20_000, bytes = 500_000_000 }: CopyLimits) {
    this.#source = source;
    this.#maxEntries = entries;
    this.#maxBytes = bytes;
  }

  async make(to: string): Promise<CopiedWorkspace> {
    try {
      const source = await openFolderAt(this.#source);
      await this.#enter(source, () => openFolderAt(to), Buffer.byteLength(to));
      for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) await this.#descend(level);
      return this.#copied;
    } finally {
      for (const { from, to: target } of this.#levels) await closeBoth(from, target);
    }
  }

  /** Copies the files of a folder, and queues its subfolders. */
  async #enter(from: OpenFolder, openTarget: () => Promise<OpenFolder>, pathBytes: number): Promise<void> {
    let to: OpenFolder;
    try {
      to = await openTarget();
    } catch (error) {
      await from.close();
      throw error;
    }
    const level: Level = { from, to, pathBytes, folders: [] };
    this.#levels.push(level);
    const { entries, complete } = await from.entries(this.#maxEntries - this.#seen);
    this.#seen += entries.length;
    if (!complete) throw this.#tooLarge(`${this.#maxEntries} files and folders`);
    for (const { name, type } of entries) {
      if (pathBytes + 1 + name.length > MAX_PATH_BYTES) this.#copied.leftOut += 1;
      else if (type === 'directory') level.folders.push(name);
      else if (type === 'file') await this.#copyFile(level, name);
      else this.#copied.leftOut += 1;
    }
  }

  /**
   * Copies the next subfolder of a level. A level is removed before its last subfolder is entered, so that deep nesting
   * needs few descriptors.
   */
  async #descend(level: Level): Promise<void> {
    const name = level.folders.pop();
    const from = name && (await ifReadable(level.from.folder(name)));
    if (level.folders.length === 0) this.#levels.pop();
    try {
      if (!name) return;
      if (!from) {
        this.#copied.leftOut += 1;
        return;
      }
      const openTarget = async () => {
        await mkdir(level.to.entry(name), { mode: 0o755 });
        return level.to.folder(name);
      };
      await this.#enter(from, openTarget, level.pathBytes + 1 + name.length);
    } finally {
      if (level.folders.length === 0) await closeBoth(level.from, level.to);
    }
  }

  async #copyFile({ from, to }: Level, name: Buffer): Promise<void> {
    const source = await ifReadable(from.file(name));
    if (!source) {
      this.#copied.leftOut += 1;
      return;
    }
    try {
      if (source.stats.size > this.#maxBytes - this.#copied.bytes) {
        throw this.#tooLarge(`${this.#maxBytes / 1e6} MB`);
      }
      this.#copied.bytes += await copyBytes(source, to.entry(name), this.#chunk);
      this.#copied.files += 1;
    } finally {
      await source.close();
    }
  }

  #tooLarge(what: string): AppError {
    return new AppError({
      code: 'workspace_too_large',
      message: `The workspace ${this.#source} has more than ${what}, too much to copy.`,
      hint: 'Work in the same folder, or delete files that can be regenerated, such as build output and packages.',
    });
  }
}

/**
 * Copies without streams: a stream that fails closes the descriptor it reads from, even with `autoClose: false`, and
 * closing that again could close a file that was opened meanwhile.
 *
 * @param chunk a buffer to use
 * @returns the size of the copy in bytes
 */
async function copyBytes(source: OpenedFile, to: string | Buffer, chunk: Buffer): Promise<number> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const target = await open(to, flags, source.stats.mode & 0o777);
  try {
    // A file that grows while it is read is copied at its original length.
    const { size } = source.stats;
    let copied = 0;
    while (copied < size) {
      const bytes = await perform(readFd(source.fd, chunk.subarray(0, size - copied), copied));
      if (bytes === 0) break;
      // Writes all of it: `write` reports no error if only a part had room.
      await target.appendFile(chunk.subarray(0, bytes));
      copied += bytes;
    }
    return copied;
  } finally {
    await target.close();
  }
}

/** Returns the opened entry; `undefined` if it vanished, became a link, or is not readable. */
async function ifReadable<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function closeBoth(from: OpenFolder, to: OpenFolder): Promise<void> {
  await from.close();
  await to.close();
}
