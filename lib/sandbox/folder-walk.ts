import { constants, type Dirent, type Stats } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import {
  chownFd,
  closeDirectory,
  closeFd,
  type FileCalls,
  lstatPath,
  lstatPaths,
  makeDirectory,
  nextEntries,
  openDirectory,
  openFd,
  realPath,
  statFd,
  statPath,
} from './file-calls.ts';
import { attempt, isALink, missing, notAFile, notAFolder } from './file-errors.ts';
import { workspaceMoved } from './folder-handle.ts';
import type { KnownFolders } from './known-folders.ts';
import { BARE_PARTS, barePart, isBareRepository } from './nested-git.ts';
import type { SyncBudget } from './sync-budget.ts';

// Windows lacks these flags; there, the checks before and after opening must suffice.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;
export const CREATE_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW;
/** Entries of a folder that one call reads. */
const BATCH = 64;

/**
 * A folder inside a workspace, reached without following links.
 *
 * On Linux it is an open descriptor, and names are resolved under `/proc/self/fd/N`: even if a path is renamed or
 * replaced by a link, the descriptor remains the folder that was checked. On other systems each step is checked, and the
 * real path is compared again after opening a file.
 */
export interface Folder {
  /** Path for a system call on an entry. */
  entry(name: string): string;
  /** The real path that an entry must have, if descriptors cannot be used. */
  expected(name: string): string | undefined;
  self: string;
  /** Its descriptor, on Linux. */
  fd?: number;
  /** Of the operation that opened the folder, if it may make calls on the event loop. */
  budget?: SyncBudget | undefined;
  /** Of a held workspace: the folders inside it that are open. */
  known?: KnownFolders | undefined;
  close(): FileCalls<void>;
}

export type EntryType = 'file' | 'directory' | 'link' | 'other';

/** An open regular file. */
export interface FoundFile {
  fd: number;
  stats: Stats;
}

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Walks from a folder to one inside it, step by step, and closes what it has opened at the end of the work. In a held
 * workspace the folder stays open for later reads.
 */
export function* descend<T>(
  top: Folder,
  steps: readonly string[],
  work: (folder: Folder) => FileCalls<T>,
  making?: { create: true; owner: Owner | undefined },
): FileCalls<T> {
  let folder = top;
  try {
    for (const [index, step] of steps.entries()) {
      const path = steps.slice(0, index + 1);
      const next: Folder = making
        ? yield* openOrMake(folder, step, path, making.owner)
        : yield* openFolder(folder, step, path);
      if (folder !== top) yield* folder.close();
      folder = next;
    }
    if (folder !== top && top.budget) {
      const isHere = top.budget.reached((yield* statPath(folder.self)).dev);
      if (isHere && !making && top.known && folder.fd !== undefined) {
        const kept = top.known.keep(steps, folder.fd);
        folder = top; // `known` closes the other one
        try {
          return yield* work(atDescriptor(kept.fd, { budget: top.budget }));
        } finally {
          kept.leave();
        }
      }
    }
    return yield* work(folder);
  } finally {
    if (folder !== top) yield* folder.close();
  }
}

function* openOrMake(
  folder: Folder,
  step: string,
  path: readonly string[],
  owner: Owner | undefined,
): FileCalls<Folder> {
  yield* refuseBareRepository(folder, step, path);
  try {
    return yield* openFolder(folder, step, path);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    yield* makeFolder(folder.entry(step), owner, path);
    return yield* openFolder(folder, step, path);
  }
}

function* makeFolder(path: string, owner: Owner | undefined, steps: readonly string[]): FileCalls<void> {
  try {
    yield* attempt(steps, makeDirectory(path));
  } catch (error) {
    if (errno(error) === 'EEXIST') return; // another operation was faster
    throw error;
  }
  if (!owner) return;
  const made = yield* attempt(steps, openFd(path, constants.O_RDONLY | DIRECTORY | NOFOLLOW));
  try {
    yield* chownFd(made, owner);
  } finally {
    yield* closeFd(made);
  }
}

/** A folder by its descriptor, which the caller closes. */
export function atDescriptor(fd: number, held: Pick<Folder, 'budget' | 'known'> = {}): Folder {
  return byDescriptor(fd, held, nothingToClose);
}

function byDescriptor(
  fd: number,
  { budget, known }: Pick<Folder, 'budget' | 'known'>,
  close: () => FileCalls<void> = () => closeFd(fd),
): Folder {
  const self = `/proc/self/fd/${fd}`;
  return { self, fd, entry: (name) => `${self}/${name}`, expected: () => undefined, budget, known, close };
}

function* nothingToClose(): FileCalls<void> {}

/**
 * Opens an entry of a folder, which must be a folder.
 *
 * @param at path for system calls, if the name is not valid Unicode
 */
export function* openFolder(
  folder: Folder,
  name: string,
  steps: readonly string[],
  at: string | Buffer = folder.entry(name),
): FileCalls<Folder> {
  if (process.platform !== 'linux')
    return yield* openPlainFolder(folder.expected(name) ?? at.toString(), steps);
  return byDescriptor(yield* attempt(steps, openFolderDescriptor(at, steps)), {
    budget: folder.budget,
  });
}

function* openFolderDescriptor(path: string | Buffer, steps: readonly string[]): FileCalls<number> {
  try {
    return yield* openFd(path, constants.O_RDONLY | DIRECTORY | NOFOLLOW);
  } catch (error) {
    // A link and a file give the same error code; this check only selects the message.
    if (errno(error) === 'ENOTDIR' && (yield* lstatPath(path))?.isSymbolicLink()) throw isALink(steps);
    throw error;
  }
}

/** Without descriptors: a canonical path as a folder. @throws {AppError} `workspace_moved` */
export function* openPlainRoot(path: string): FileCalls<Folder> {
  if ((yield* attempt([], realPath(path))) !== path) throw workspaceMoved(path);
  return yield* openPlainFolder(path, []);
}

function* openPlainFolder(path: string, steps: readonly string[]): FileCalls<Folder> {
  const stats = yield* attempt(steps, lstatPath(path));
  if (!stats) throw missing(steps);
  if (stats.isSymbolicLink()) throw isALink(steps);
  if (!stats.isDirectory()) throw notAFolder(steps);
  const entry = (name: string) => join(path, name);
  return { self: path, entry, expected: entry, close: nothingToClose };
}

/** Opens an entry of a folder, which must be a regular file. */
export function* openFile(
  folder: Folder,
  path: string | Buffer,
  name: string,
  steps: readonly string[],
): FileCalls<FoundFile> {
  if (folder.budget) {
    // The event loop only opens what was a file a moment ago, because opening a device can block.
    const found = yield* attempt(steps, lstatPath(path));
    if (!found) throw missing(steps);
    if (!found.isFile()) throw notAFile(steps, found);
    folder.budget.reached(found.dev);
  }
  const fd = yield* attempt(steps, openFd(path, constants.O_RDONLY | NOFOLLOW | NONBLOCK));
  try {
    const stats = yield* statFd(fd);
    if (!stats.isFile()) throw notAFile(steps, stats);
    yield* checkExpected(folder, name, stats, steps);
    return { fd, stats };
  } catch (error) {
    yield* closeFd(fd);
    throw error;
  }
}

/** Without descriptors: the opened file must still be the one at its expected path. */
export function* checkExpected(
  folder: Folder,
  name: string,
  opened: Stats | undefined,
  steps: readonly string[],
): FileCalls<void> {
  const expected = folder.expected(name);
  if (expected === undefined) return;
  const parent = yield* attempt(steps, realPath(folder.self));
  const now = yield* attempt(steps, lstatPath(expected));
  const same = opened === undefined ? now === undefined : now?.ino === opened.ino && now.dev === opened.dev;
  if (parent !== folder.self || !same) {
    throw new AppError({
      code: 'path_changed',
      message: `"${steps.join('/')}" changed while it was opened.`,
      hint: 'Try again.',
    });
  }
}

/**
 * Rejects writes in a bare repository, or that would complete one: git obeys its config like that of a `.git`.
 *
 * @param name the entry to be written in the folder
 */
export function* refuseBareRepository(
  folder: Folder,
  name: string,
  steps: readonly string[],
): FileCalls<void> {
  const written = barePart(name) ?? name;
  const [head, ...others] = BARE_PARTS;
  // Few folders have a HEAD, and without one none is a repository.
  if (written !== head && !(yield* attempt(steps, lstatPath(folder.entry(head))))) return;
  const stats = yield* attempt(steps, lstatPaths(others.map((part) => folder.entry(part))));
  const there = others.filter((_, index) => stats[index]);
  if (!isBareRepository(new Set([head, ...there, written]))) return;
  throw new AppError({
    code: 'git_protected',
    message: `"${steps.join('/')}" belongs to a bare git repository, which is read-only here.`,
    hint: 'Git runs what such a folder (HEAD with objects and refs) configures. Write somewhere else.',
  });
}

/** The entries of a folder, at most `limit`. */
export function* readEntries(
  folder: Folder,
  steps: readonly string[],
  limit: number,
  encoding: BufferEncoding,
): FileCalls<{ dirents: Dirent[]; complete: boolean }> {
  const dirents: Dirent[] = [];
  const dir = yield* attempt(steps, openDirectory(folder.self, encoding));
  try {
    for (;;) {
      const next = yield* nextEntries(dir, Math.min(BATCH, limit + 1 - dirents.length));
      dirents.push(...next);
      if (dirents.length > limit) return { dirents: dirents.slice(0, limit), complete: false };
      if (next.length === 0) return { dirents, complete: true };
    }
  } finally {
    yield* closeDirectory(dir);
  }
}

/** The sizes of entries in bytes; none in a folder that may be listed but not entered. */
export function* entrySizes(folder: Folder, names: readonly string[]): FileCalls<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let start = 0; start < names.length; start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    const stats = yield* statsIfPermitted(batch.map(folder.entry));
    for (const [index, name] of batch.entries()) {
      const size = stats[index]?.size;
      if (size !== undefined) sizes.set(name, size);
    }
  }
  return sizes;
}

function* statsIfPermitted(paths: readonly string[]): FileCalls<(Stats | undefined)[]> {
  try {
    return yield* lstatPaths(paths);
  } catch (error) {
    if (errno(error) === 'EACCES') return [];
    throw error;
  }
}

export function entryType(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryType {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
