import { createHash, randomBytes } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
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
import { BARE_PARTS, barePart, isBareRepository } from './nested-git.ts';
import { isGitStep } from './workspace-path.ts';

// Windows lacks these flags; there, the checks before and after opening must suffice.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;

/**
 * A folder inside a workspace, reached without following links.
 *
 * On Linux it is an open descriptor, and names are resolved under `/proc/self/fd/N`: even if a path is renamed or
 * replaced by a link, the descriptor remains the folder that was checked. On other systems each step is checked, and the
 * real path is compared again after opening a file.
 */
interface Folder {
  /** Path for a system call on an entry. */
  entry(name: string): string;
  /** The real path that an entry must have, if descriptors cannot be used. */
  expected(name: string): string | undefined;
  self: string;
  close(): Promise<void>;
}

type EntryType = 'file' | 'directory' | 'link' | 'other';

export interface FolderEntry {
  name: string;
  type: EntryType;
  /** Only for files. */
  bytes?: number;
}

/**
 * Opens a regular file for reading. Never blocks: pipes, devices and sockets are rejected.
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
    return await openFile(folder, folder.entry(name), name, steps);
  } finally {
    await folder.close();
  }
}

/** An open folder with its entries by raw name bytes, because not every name is valid UTF-8. */
export interface OpenFolder {
  /** Path for a system call on an entry. */
  entry(name: Buffer): string | Buffer;
  entries(limit: number): Promise<{ entries: { name: Buffer; type: EntryType }[]; complete: boolean }>;
  /** @throws {AppError} unless it is a readable folder */
  folder(name: Buffer): Promise<OpenFolder>;
  /** @throws {AppError} unless it is a readable regular file */
  file(name: Buffer): Promise<{ file: FileHandle; stats: Stats }>;
  close(): Promise<void>;
}

/**
 * Opens a folder by its canonical path, for step-by-step traversal.
 *
 * @throws {AppError} `workspace_moved`
 */
export async function openFolderAt(path: string): Promise<OpenFolder> {
  return withEntries(await openRoot(path));
}

function withEntries(folder: Folder): OpenFolder {
  // On other systems names are Unicode.
  const entry = (name: Buffer) =>
    process.platform === 'linux'
      ? Buffer.concat([Buffer.from(`${folder.self}/`), name])
      : folder.entry(name.toString());
  return {
    entry,
    async entries(limit) {
      // One character per byte; UTF-8 would replace invalid sequences.
      const encoding = process.platform === 'linux' ? 'latin1' : 'utf8';
      const { dirents, complete } = await readEntries(folder, [], limit, encoding);
      const entries = dirents.map((dirent) => ({
        name: Buffer.from(dirent.name, encoding),
        type: entryType(dirent),
      }));
      return { entries, complete };
    },
    async folder(name) {
      const text = name.toString();
      return withEntries(await openFolder(entry(name), [text], folder.expected(text)));
    },
    file: (name) => openFile(folder, entry(name), name.toString(), [name.toString()]),
    close: () => folder.close(),
  };
}

async function readEntries(
  folder: Folder,
  steps: readonly string[],
  limit: number,
  encoding: BufferEncoding,
): Promise<{ dirents: Dirent[]; complete: boolean }> {
  const dirents: Dirent[] = [];
  for await (const dirent of await attempt(steps, () => opendir(folder.self, { encoding }))) {
    if (dirents.length === limit) return { dirents, complete: false };
    dirents.push(dirent);
  }
  return { dirents, complete: true };
}

async function openFile(
  folder: Folder,
  path: string | Buffer,
  name: string,
  steps: readonly string[],
): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await attempt(steps, () => open(path, constants.O_RDONLY | NOFOLLOW | NONBLOCK));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw notAFile(steps, stats);
    await checkExpected(folder, name, stats, steps);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Stats of a path, without following a link; `undefined` if it does not exist. */
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
 * @param limit maximum entries to read; `complete` is false if there are more
 */
export async function listFolder(
  root: string,
  steps: readonly string[],
  limit: number,
): Promise<{ entries: FolderEntry[]; complete: boolean }> {
  const folder = await descend(root, steps);
  try {
    const { dirents, complete } = await readEntries(folder, steps, limit, 'utf8');
    const entries: FolderEntry[] = [];
    for (const dirent of dirents) {
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
 * Replaces a file atomically, so that readers see either the old or the new content: a temporary file in the same folder
 * is written, synced and renamed. Missing folders are created. Links are never followed, hard links are broken. If the
 * server runs as root, new entries belong to the workspace's owner.
 *
 * @param temporaryName name of the temporary file, from `temporaryNameOf`; default: a random name
 */
export async function replaceFile(
  root: string,
  steps: readonly string[],
  data: Buffer,
  { temporaryName = temporaryFileName(randomBytes(16).toString('hex')) }: { temporaryName?: string } = {},
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
  const temporary = folder.entry(temporaryName);
  try {
    await refuseBareRepository(folder, name, steps);
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

/**
 * The name of a call's temporary file. It depends only on the log, so that a restarted server can identify the file of a
 * killed one.
 */
export function temporaryNameOf({ runId, callId }: { runId: string; callId: string }): string {
  return temporaryFileName(createHash('sha256').update(`${runId}\0${callId}`).digest('hex').slice(0, 32));
}

function temporaryFileName(key: string): string {
  return `.loupe-${key}.tmp`;
}

/**
 * Removes the temporary file of an interrupted `replaceFile`: only this name in this folder, and only a regular file.
 *
 * @param steps the path of the file to be replaced
 * @returns whether there was one
 */
export async function removeTemporary(
  root: string,
  steps: readonly string[],
  temporaryName: string,
): Promise<boolean> {
  const { folders } = split(steps);
  const temporary = [...folders, temporaryName];
  if (!(await lookAt(root, temporary))?.isFile()) return false;
  const folder = await descend(root, folders);
  try {
    await attempt(temporary, () => unlink(folder.entry(temporaryName)));
    return true;
  } finally {
    await folder.close();
  }
}

/** Writes and syncs the new file, with the mode and owner of the one it replaces. */
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

/** The names in the parent folder of a path, for "did you mean". */
export async function siblings(root: string, steps: readonly string[]): Promise<string[]> {
  try {
    const { entries } = await listFolder(root, steps.slice(0, -1), 500);
    return entries.map((entry) => entry.name);
  } catch (error) {
    if (error instanceof AppError) return []; // the parent does not exist either
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

/** The workspace's owner, if the server is root and the owner is not. */
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
      if (making) {
        await refuseBareRepository(folder, step, path);
        await makeFolder(folder.entry(step), making.owner, path);
      }
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

/**
 * Rejects writes in a bare repository, or that would complete one: git obeys its config like that of a `.git`.
 *
 * @param name the entry to be written in the folder
 */
async function refuseBareRepository(folder: Folder, name: string, steps: readonly string[]): Promise<void> {
  const there = await Promise.all(
    BARE_PARTS.map(async (part) => ((await lstatIfThere(folder.entry(part))) ? [part] : [])),
  );
  if (!isBareRepository(new Set([...there.flat(), barePart(name) ?? name]))) return;
  throw new AppError({
    code: 'git_protected',
    message: `"${steps.join('/')}" belongs to a bare git repository, which is read-only here.`,
    hint: 'Git runs what such a folder (HEAD with objects and refs) configures. Write somewhere else.',
  });
}

/**
 * Opens the workspace root. Its path was canonical when it was first opened, so a link on it now means that it has moved.
 */
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
  path: string | Buffer,
  steps: readonly string[],
  realPath: string | undefined,
): Promise<Folder> {
  if (process.platform === 'linux') {
    return byDescriptor(await attempt(steps, () => openFolderDescriptor(path, steps)));
  }
  const folder = realPath ?? path.toString();
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

async function openFolderDescriptor(path: string | Buffer, steps: readonly string[]): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | DIRECTORY | NOFOLLOW);
  } catch (error) {
    // A link and a file give the same error code; this check only selects the message.
    if (errno(error) === 'ENOTDIR' && (await lstatIfThere(path))?.isSymbolicLink()) throw isALink(steps);
    throw error;
  }
}

/** Without descriptors: the opened file must still be the one at its expected path. */
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

async function lstatIfThere(path: string | Buffer): Promise<Stats | undefined> {
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

/** Turns a system error into a message that a model can act on; other errors are returned unchanged. */
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
