import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { openCanonical, workspaceMoved } from './folder-handle.ts';
import { isGitStep } from './workspace-path.ts';

// On Windows these flags do not exist; there the look before and after the opening must do.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;

/**
 * A folder inside a workspace, reached without following a link.
 *
 * On Linux it is an open descriptor, and names are looked up under `/proc/self/fd/N`: whatever is renamed or replaced by
 * a link in the meantime, the descriptor stays the folder that was checked. Elsewhere each step is looked at, and the
 * real path is compared again after a file was opened.
 */
interface Folder {
  /** Path for a system call on an entry. */
  entry(name: string): string;
  /** The real path an entry must have, where descriptors can't be used. */
  expected(name: string): string | undefined;
  self: string;
  close(): Promise<void>;
}

export type EntryType = 'file' | 'directory' | 'link' | 'other';

export interface FolderEntry {
  name: string;
  type: EntryType;
  /** Of files only. */
  bytes?: number;
}

/**
 * Opens a regular file for reading. Never blocks: pipes, devices and sockets are refused.
 *
 * @param steps from `workspaceSteps`
 * @throws {AppError} with a message for the model
 */
export async function openForReading(
  root: string,
  steps: readonly string[],
): Promise<{ file: FileHandle; stats: Stats }> {
  const { folders, name } = split(steps);
  const folder = await descend(root, folders);
  try {
    const file = await attempt(steps, () =>
      open(folder.entry(name), constants.O_RDONLY | NOFOLLOW | NONBLOCK),
    );
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw notAFile(steps, stats);
      await checkExpected(folder, name, stats, steps);
      return { file, stats };
    } catch (error) {
      await file.close();
      throw error;
    }
  } finally {
    await folder.close();
  }
}

/** What stands at a path, without following a link; `undefined` when nothing does. */
export async function lookAt(root: string, steps: readonly string[]): Promise<Stats | undefined> {
  try {
    const folder = await descend(root, steps.slice(0, -1));
    try {
      return await (steps.length === 0 ? stat(folder.self) : lstat(folder.entry(steps.at(-1) ?? '')));
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (errno(error) === 'ENOENT' || (error instanceof AppError && error.code === 'not_found'))
      return undefined;
    throw error instanceof AppError ? error : explain(error, steps);
  }
}

/**
 * Lists a folder, sorted by name.
 *
 * @param limit entries read at most; `complete` says whether there were more
 */
export async function listFolder(
  root: string,
  steps: readonly string[],
  limit: number,
): Promise<{ entries: FolderEntry[]; complete: boolean }> {
  const folder = await descend(root, steps);
  try {
    const entries: FolderEntry[] = [];
    let complete = true;
    for await (const dirent of await attempt(steps, () => opendir(folder.self))) {
      if (entries.length === limit) {
        complete = false;
        break;
      }
      const type = entryType(dirent);
      const bytes = type === 'file' ? await fileSize(folder.entry(dirent.name)) : undefined;
      entries.push({ name: dirent.name, type, ...(bytes !== undefined && { bytes }) });
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { entries, complete };
  } finally {
    await folder.close();
  }
}

/**
 * Writes a whole file so that readers see the old content or the new one, never a part: a new file in the same folder is
 * written, synced and renamed over the name. Missing folders are made. Links are never followed, hard links are broken up.
 * Where the server runs as root, what it makes belongs to the workspace's owner.
 */
export async function replaceFile(
  root: string,
  steps: readonly string[],
  data: Buffer,
): Promise<{ created: boolean }> {
  if (steps.some(isGitStep)) {
    throw new AppError({
      code: 'git_protected',
      message: `"${steps.join('/')}" lies in .git, which is read-only here.`,
      hint: 'Files in .git decide what later git commands run. Write somewhere else.',
    });
  }
  const { folders, name } = split(steps);
  const owner = await ownerFor(root);
  const folder = await descend(root, folders, { create: true, owner });
  const temporary = folder.entry(`.loupe-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const before = await attempt(steps, () => lstatIfThere(folder.entry(name)));
    if (before && !before.isFile()) throw notAFile(steps, before);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW;
    const file = await attempt(steps, () => open(temporary, flags, 0o666));
    try {
      await attempt(steps, async () => {
        await fill(file, data, before, owner).finally(() => file.close());
        await checkExpected(folder, name, before, steps);
        await rename(temporary, folder.entry(name));
      });
    } catch (error) {
      await unlink(temporary);
      throw error;
    }
    return { created: before === undefined };
  } finally {
    await folder.close();
  }
}

/** Writes and syncs the new file, with the mode and the owner of the one that it replaces. */
async function fill(
  file: FileHandle,
  data: Buffer,
  before: Stats | undefined,
  owner: Owner | undefined,
): Promise<void> {
  await file.writeFile(data);
  if (before) await file.chmod(before.mode & 0o777);
  const keep = before && process.getuid?.() === 0 ? before : owner;
  if (keep) await file.chown(keep.uid, keep.gid);
  await file.sync();
}

/** The names in the deepest existing folder of a path, for "did you mean". */
export async function siblings(root: string, steps: readonly string[]): Promise<string[]> {
  try {
    const { entries } = await listFolder(root, steps.slice(0, -1), 500);
    return entries.map((entry) => entry.name);
  } catch (error) {
    if (error instanceof AppError) return []; // no such folder either: there is nothing to suggest
    throw error;
  }
}

function split(steps: readonly string[]): { folders: readonly string[]; name: string } {
  const name = steps.at(-1);
  if (name === undefined) {
    throw new AppError({
      code: 'is_a_folder',
      message: 'The path is the workspace itself, which is a folder.',
      hint: 'Name a file in it; list_directory shows what there is.',
    });
  }
  return { folders: steps.slice(0, -1), name };
}

interface Owner {
  uid: number;
  gid: number;
}

/** The workspace's owner, when the server is root and the owner is not. */
async function ownerFor(root: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await lstat(root);
  return uid === 0 ? undefined : { uid, gid };
}

async function descend(
  root: string,
  steps: readonly string[],
  making?: { create: true; owner: Owner | undefined },
): Promise<Folder> {
  let folder = await openRoot(root);
  for (const [index, step] of steps.entries()) {
    const path = steps.slice(0, index + 1);
    try {
      if (making) await makeFolder(folder.entry(step), making.owner, path);
      const next = await openFolder(folder.entry(step), path, folder.expected(step));
      await folder.close();
      folder = next;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }
  return folder;
}

/** The workspace itself, whose path was canonical when it was opened: a link on it now leads somewhere else. */
async function openRoot(root: string): Promise<Folder> {
  if (process.platform === 'linux') return byDescriptor(await openCanonical(root));
  if ((await attempt([], () => realpath(root))) !== root) throw workspaceMoved(root);
  return openFolder(root, [], root);
}

async function makeFolder(path: string, owner: Owner | undefined, steps: readonly string[]): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errno(error) === 'EEXIST') return;
    throw explain(error, steps);
  }
  if (!owner) return;
  const made = await attempt(steps, () => open(path, constants.O_RDONLY | DIRECTORY | NOFOLLOW));
  try {
    await made.chown(owner.uid, owner.gid);
  } finally {
    await made.close();
  }
}

async function openFolder(
  path: string,
  steps: readonly string[],
  realPath: string | undefined,
): Promise<Folder> {
  if (process.platform === 'linux') {
    return byDescriptor(await attempt(steps, () => openFolderDescriptor(path, steps)));
  }
  const folder = realPath ?? path;
  const stats = await attempt(steps, () => lstat(folder));
  if (stats.isSymbolicLink()) throw isALink(steps);
  if (!stats.isDirectory()) throw explain(Object.assign(new Error('ENOTDIR'), { code: 'ENOTDIR' }), steps);
  return {
    self: folder,
    entry: (name) => join(folder, name),
    expected: (name) => join(folder, name),
    close: () => Promise.resolve(),
  };
}

function byDescriptor(handle: FileHandle): Folder {
  const self = `/proc/self/fd/${handle.fd}`;
  return {
    self,
    entry: (name) => `${self}/${name}`,
    expected: () => undefined,
    close: () => handle.close(),
  };
}

async function openFolderDescriptor(path: string, steps: readonly string[]): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | DIRECTORY | NOFOLLOW);
  } catch (error) {
    // A link and a file give the same code here; the look only chooses the words.
    if (errno(error) === 'ENOTDIR' && (await lstatIfThere(path))?.isSymbolicLink()) throw isALink(steps);
    throw error;
  }
}

/** Where paths had to be used: what was opened must still be what stands at the path it should have. */
async function checkExpected(
  folder: Folder,
  name: string,
  opened: Stats | undefined,
  steps: readonly string[],
): Promise<void> {
  const expected = folder.expected(name);
  if (expected === undefined) return;
  const parent = await attempt(steps, () => realpath(folder.self));
  const now = await attempt(steps, () => lstatIfThere(expected));
  const same = opened === undefined ? now === undefined : now?.ino === opened.ino && now.dev === opened.dev;
  if (parent !== folder.self || !same) {
    throw new AppError({
      code: 'path_changed',
      message: `"${steps.join('/')}" changed while it was opened.`,
      hint: 'Try again.',
    });
  }
}

async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function fileSize(path: string): Promise<number | undefined> {
  return (await lstatIfThere(path))?.size;
}

function entryType(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): EntryType {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

async function attempt<T>(steps: readonly string[], action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw explain(error, steps);
  }
}

function notAFile(steps: readonly string[], stats: Stats): AppError {
  if (stats.isSymbolicLink()) return isALink(steps);
  if (stats.isDirectory()) {
    return new AppError({
      code: 'is_a_folder',
      message: `"${steps.join('/')}" is a folder.`,
      hint: 'Name a file in it; list_directory shows what there is.',
    });
  }
  return new AppError({
    code: 'not_a_regular_file',
    message: `"${steps.join('/')}" is a pipe, a socket or a device.`,
    hint: 'Only regular files can be read and written.',
  });
}

function isALink(steps: readonly string[]): AppError {
  return new AppError({
    code: 'path_link',
    message: `"${steps.join('/')}" is a symbolic link, and links are not followed.`,
    hint: 'Name the file or folder that it stands for, if that lies in the workspace.',
  });
}

/** A system error as a sentence that a model can act on; anything else is passed on unchanged. */
function explain(error: unknown, steps: readonly string[]): unknown {
  const path = steps.length === 0 ? '.' : steps.join('/');
  const say = (code: string, message: string, hint?: string) =>
    new AppError({ code, message, hint, cause: error });
  switch (errno(error)) {
    case 'ENOENT':
      return say('not_found', `"${path}" does not exist.`);
    case 'ENOTDIR':
      return say('not_a_folder', `"${path}" is not a folder.`);
    case 'ELOOP':
    case 'EMLINK':
      return isALink(steps);
    case 'EISDIR':
      return say('is_a_folder', `"${path}" is a folder.`);
    case 'ENXIO':
    case 'ENODEV':
      return say('not_a_regular_file', `"${path}" is a pipe, a socket or a device.`);
    case 'EACCES':
    case 'EPERM':
      return say('not_permitted', `The system does not permit this for "${path}".`);
    case 'EROFS':
      return say('read_only', `"${path}" lies on a read-only file system.`);
    case 'ENAMETOOLONG':
      return say(
        'path_invalid',
        `A name in "${path.slice(0, 100)}…" is too long.`,
        'Use names of at most 255 bytes.',
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return say('no_space', `There is no space left to write "${path}".`);
    default:
      return error;
  }
}

function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
