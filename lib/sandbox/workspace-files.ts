import { hash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import {
  chmodFd,
  chownFd,
  closeFd,
  type FileCalls,
  lstatPath,
  openFd,
  perform,
  readFd,
  renamePath,
  statPath,
  syncFd,
  unlinkPath,
  writeFd,
} from './file-calls.ts';
import { attempt, explain, notAFile } from './file-errors.ts';
import { openCanonical } from './folder-handle.ts';
import {
  atDescriptor,
  CREATE_NEW,
  checkExpected,
  descend,
  type EntryType,
  entrySizes,
  entryType,
  type Folder,
  type FoundFile,
  type Owner,
  openFile,
  openFolder,
  openPlainRoot,
  readEntries,
  refuseBareRepository,
} from './folder-walk.ts';
import { isGitStep } from './git-step.ts';
import { enterHeldWorkspace, enterKnownFolder } from './held-workspace.ts';

export interface FolderEntry {
  name: string;
  type: EntryType;
  /** Only for files. */
  bytes?: number;
}

/**
 * Performs an operation that starts at the workspace root. Its path was canonical when it was first opened, so a link on
 * it now means that it has moved.
 *
 * Where a run holds the workspace, the operation makes its first calls on the event loop, within a `SyncBudget`;
 * everything else is left to the thread pool.
 */
async function inWorkspace<T>(root: string, operation: (top: Folder) => FileCalls<T>): Promise<T> {
  const held = enterHeldWorkspace(root);
  if (held) {
    try {
      return await perform(operation(atDescriptor(held.fd, held)), held.budget);
    } finally {
      await held.leave();
    }
  }
  if (process.platform !== 'linux') return perform(operation(await perform(openPlainRoot(root))));
  await using folder = await openCanonical(root);
  return await perform(operation(atDescriptor(folder.fd)));
}

/** Performs a read-only operation in a folder of the workspace. */
async function inFolder<T>(
  root: string,
  steps: readonly string[],
  operation: (folder: Folder) => FileCalls<T>,
): Promise<T> {
  const known = enterKnownFolder(root, steps);
  if (!known) return inWorkspace(root, (top) => descend(top, steps, operation));
  try {
    return await perform(operation(atDescriptor(known.fd, { budget: known.budget })), known.budget);
  } finally {
    await known.leave();
  }
}

/**
 * Opens a regular file and reads from it. Never blocks: pipes, devices and sockets are rejected.
 *
 * @param steps from `workspaceSteps`
 * @throws {AppError} with a message for the model
 */
export async function readFrom<T>(
  root: string,
  steps: readonly string[],
  read: (file: FoundFile) => FileCalls<T>,
): Promise<T> {
  const { folders, name } = split(steps);
  return inFolder(root, folders, function* (folder) {
    const file = yield* openFile(folder, folder.entry(name), name, steps);
    try {
      return yield* read(file);
    } finally {
      yield* closeFd(file.fd);
    }
  });
}

/**
 * Reads a whole regular file.
 *
 * @returns its size, and its content unless it has more than `maxBytes`
 * @throws {AppError} with a message for the model
 */
export async function readWhole(
  root: string,
  steps: readonly string[],
  maxBytes: number,
): Promise<{ sizeBytes: number; data?: Buffer }> {
  return readFrom(root, steps, (file) => wholeOf(file, maxBytes));
}

function* wholeOf(
  { fd, stats }: FoundFile,
  maxBytes: number,
): FileCalls<{ sizeBytes: number; data?: Buffer }> {
  const chunks: Buffer[] = [];
  let sizeBytes = stats.size;
  for (let position = 0; sizeBytes <= maxBytes; sizeBytes = Math.max(sizeBytes, position)) {
    const chunk = Buffer.allocUnsafe(chunkBytes(sizeBytes - position));
    const bytes = yield* readFd(fd, chunk, position);
    chunks.push(chunk.subarray(0, bytes));
    position += bytes;
    if (isEnd(bytes, chunk, position, stats)) return { sizeBytes: position, data: Buffer.concat(chunks) };
  }
  return { sizeBytes };
}

/** A file before it is changed: no `stats` if it does not exist, no `data` if it is too large. */
export interface FoundBefore {
  stats?: Stats;
  data?: Buffer;
}

/**
 * Reads a file that is about to be replaced or removed.
 *
 * @param steps from `workspaceSteps`
 * @returns `undefined` if it is not a file that can be read
 */
export async function readBefore(
  root: string,
  steps: readonly string[],
  maxBytes: number,
): Promise<FoundBefore | undefined> {
  try {
    return await readFrom(root, steps, function* (file) {
      const { data } = yield* wholeOf(file, maxBytes);
      return { stats: file.stats, ...(data && { data }) };
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'not_found' ? {} : undefined;
  }
}

/** Whether a read reached the end of the file. A short one before the end need not mean that. */
export function isEnd(bytesRead: number, chunk: Buffer, position: number, { size }: Stats): boolean {
  return bytesRead === 0 || (bytesRead < chunk.length && position >= size);
}

const MIN_CHUNK_BYTES = 2048;
const MAX_CHUNK_BYTES = 64 * 1024;

/**
 * How many bytes of a file to read at once, given the expected rest: for a small file one byte more, so that one read
 * usually gets all of it and leaves most of a `SyncBudget`.
 */
export function chunkBytes(leftBytes: number): number {
  return Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, leftBytes + 1));
}

/** An open folder with its entries by raw name bytes, because not every name is valid UTF-8. */
export interface OpenFolder {
  /** Path for a system call on an entry. */
  entry(name: Buffer): string | Buffer;
  entries(limit: number): Promise<{ entries: { name: Buffer; type: EntryType }[]; complete: boolean }>;
  /** @throws {AppError} unless it is a readable folder */
  folder(name: Buffer): Promise<OpenFolder>;
  /** @throws {AppError} unless it is a readable regular file */
  file(name: Buffer): Promise<OpenedFile>;
  close(): Promise<void>;
}

export interface OpenedFile extends FoundFile {
  close(): Promise<void>;
}

/**
 * Opens a folder by its canonical path, for step-by-step traversal.
 *
 * @throws {AppError} `workspace_moved`
 */
export async function openFolderAt(path: string): Promise<OpenFolder> {
  if (process.platform !== 'linux') return withEntries(await perform(openPlainRoot(path)), async () => {});
  const handle = await openCanonical(path);
  return withEntries(atDescriptor(handle.fd), () => handle.close());
}

function withEntries(folder: Folder, close: () => Promise<void>): OpenFolder {
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
      const { dirents, complete } = await perform(readEntries(folder, [], limit, encoding));
      const entries = dirents.map((dirent) => ({
        name: Buffer.from(dirent.name, encoding),
        type: entryType(dirent),
      }));
      return { entries, complete };
    },
    async folder(name) {
      const text = name.toString();
      const inner = await perform(openFolder(folder, text, [text], entry(name)));
      return withEntries(inner, () => perform(inner.close()));
    },
    async file(name) {
      const found = await perform(openFile(folder, entry(name), name.toString(), [name.toString()]));
      return { ...found, close: () => perform(closeFd(found.fd)) };
    },
    close,
  };
}

/** Stats of a path, without following a link; `undefined` if it does not exist. */
export async function lookAt(root: string, steps: readonly string[]): Promise<Stats | undefined> {
  try {
    return await statsOf(root, steps);
  } catch (error) {
    if (errno(error) === 'ENOENT' || (error instanceof AppError && error.code === 'not_found'))
      return undefined;
    throw error instanceof AppError ? error : explain(error, steps);
  }
}

function statsOf(root: string, steps: readonly string[]): Promise<Stats | undefined> {
  const name = steps.at(-1);
  return inFolder(
    root,
    steps.slice(0, -1),
    (folder): FileCalls<Stats | undefined> =>
      name === undefined ? statPath(folder.self) : lstatPath(folder.entry(name)),
  );
}

/**
 * Lists a folder, sorted by name.
 *
 * @param limit maximum entries to read; `complete` is false if there are more
 */
export function listFolder(
  root: string,
  steps: readonly string[],
  limit: number,
): Promise<{ entries: FolderEntry[]; complete: boolean }> {
  const list = function* (folder: Folder): FileCalls<{ entries: FolderEntry[]; complete: boolean }> {
    const { dirents, complete } = yield* readEntries(folder, steps, limit, 'utf8');
    const files = dirents.filter((dirent) => dirent.isFile()).map(({ name }) => name);
    const sizes = yield* entrySizes(folder, files);
    const entries = dirents.map((dirent) => {
      const bytes = sizes.get(dirent.name);
      return { name: dirent.name, type: entryType(dirent), ...(bytes !== undefined && { bytes }) };
    });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { entries, complete };
  };
  return inFolder(root, steps, list);
}

/**
 * Replaces a file atomically, so that readers see either the old or the new content: a temporary file in the same folder
 * is written, synced and renamed. Missing folders are created. Links are never followed, hard links are broken. If the
 * server runs as root, new entries belong to the workspace's owner.
 *
 * @param temporaryName name of the temporary file, from `temporaryNameOf`; default: a random name
 * @param found what `readBefore` found: the file is replaced only if it is still the same
 */
export async function replaceFile(
  root: string,
  steps: readonly string[],
  data: Buffer,
  {
    temporaryName = temporaryFileName(randomBytes(16).toString('hex')),
    found,
  }: { temporaryName?: string | undefined; found?: FoundBefore | undefined } = {},
): Promise<{ created: boolean }> {
  refuseGit(steps);
  const { folders, name } = split(steps);
  return inWorkspace(root, function* (top) {
    const owner = yield* ownerFor(top);
    const replace = function* (folder: Folder): FileCalls<{ created: boolean }> {
      yield* refuseBareRepository(folder, name, steps);
      const before = yield* attempt(steps, lstatPath(folder.entry(name)));
      if (before && !before.isFile()) throw notAFile(steps, before);
      if (found && !isSame(found.stats, before)) throw changedMeanwhile(steps);
      const temporary = folder.entry(temporaryName);
      const fd = yield* attempt(steps, openFd(temporary, CREATE_NEW, 0o666));
      try {
        yield* attempt(steps, fill(fd, data, before, owner));
        yield* checkExpected(folder, name, before, steps);
        yield* attempt(steps, renamePath(temporary, folder.entry(name), before?.size ?? 0));
      } catch (error) {
        yield* attempt(steps, unlinkIfThere(temporary));
        throw error;
      }
      return { created: before === undefined };
    };
    return yield* descend(top, folders, replace, { create: true, owner });
  });
}

/**
 * Removes a file, if it is still the one that `readBefore` found.
 *
 * @throws {AppError} `changed_meanwhile`, or a message for the person
 */
export async function removeFile(root: string, steps: readonly string[], found: FoundBefore): Promise<void> {
  refuseGit(steps);
  const { folders, name } = split(steps);
  await inWorkspace(root, (top) =>
    descend(top, folders, function* (folder) {
      const before = yield* attempt(steps, lstatPath(folder.entry(name)));
      if (!before || !isSame(found.stats, before)) throw changedMeanwhile(steps);
      yield* attempt(steps, unlinkPath(folder.entry(name)));
    }),
  );
}

function refuseGit(steps: readonly string[]): void {
  if (!steps.some(isGitStep)) return;
  throw new AppError({
    code: 'git_protected',
    message: `"${steps.join('/')}" is in .git, which is read-only here.`,
    hint: 'Files in .git decide what later git commands run. Write somewhere else.',
  });
}

/** Whether a path still has the same file with the same content, or still has none. */
function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}

function changedMeanwhile(steps: readonly string[]): AppError {
  return new AppError({
    code: 'changed_meanwhile',
    message: `Another program has just changed "${steps.join('/')}".`,
    hint: 'Read it again before you write it.',
  });
}

/**
 * The name of a call's temporary file. It depends only on the log, so that a restarted server can identify the file of a
 * killed one.
 */
export function temporaryNameOf({ runId, callId }: { runId: string; callId: string }): string {
  return temporaryFileName(hash('sha256', `${runId}\0${callId}`).slice(0, 32));
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
  await inWorkspace(root, (top) =>
    descend(top, folders, (folder) => attempt(temporary, unlinkPath(folder.entry(temporaryName)))),
  );
  return true;
}

/** Removes a file, unless another program has removed it, for example with its folder. */
function* unlinkIfThere(path: string): FileCalls<void> {
  try {
    yield* unlinkPath(path);
  } catch (error) {
    if (errno(error) !== 'ENOENT') throw error;
  }
}

/** Writes, syncs and closes the new file, with the mode and owner of the one it replaces. */
function* fill(
  fd: number,
  data: Buffer,
  before: Stats | undefined,
  owner: Owner | undefined,
): FileCalls<void> {
  try {
    yield* writeFd(fd, data);
    if (before) yield* chmodFd(fd, before.mode & 0o777);
    const keep = before && process.getuid?.() === 0 ? before : owner;
    if (keep) yield* chownFd(fd, keep);
    yield* syncFd(fd);
  } finally {
    yield* closeFd(fd);
  }
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
      hint: 'Name a file in it; use list_directory to see them.',
    });
  }
  return { folders: steps.slice(0, -1), name };
}

/** The workspace's owner, if the server is root and the owner is not. */
function* ownerFor(top: Folder): FileCalls<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = yield* statPath(top.self);
  return uid === 0 ? undefined : { uid, gid };
}
