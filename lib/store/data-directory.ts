import { accessSync, chmodSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { isNoSpace } from '../util/no-space.ts';
import { StorageFullError } from './store-errors.ts';

/** `f_type` of file systems whose locks do not reach other machines, or not reliably: NFS, SMB, SMB2, CIFS. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
]);

/**
 * Creates the data directory, accessible only to its owner (mode 0700), and checks that it can hold a database.
 *
 * @throws {AppError} `data_directory_unusable` naming the path, `data_directory_remote` for a network file system, or
 *   `storage_full`
 */
export function prepareDataDirectory(path: string): void {
  try {
    makeFolders(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    chmodSync(path, 0o700);
  } catch (cause) {
    if (isNoSpace(cause)) throw new StorageFullError(path, { cause });
    throw new AppError({
      code: 'data_directory_unusable',
      message: `The data directory ${path} cannot be used: ${reasonOf(cause)}.`,
      hint: 'Check its owner and permissions, or set LOUPE_DATA_DIR to another folder.',
      cause,
    });
  }
  const kind = process.platform === 'linux' ? NETWORK_FILE_SYSTEMS.get(statfsSync(path).type) : undefined;
  if (kind !== undefined) {
    throw new AppError({
      code: 'data_directory_remote',
      message: `The data directory ${path} is on a network file system (${kind}), where a database can be damaged.`,
      hint: 'Set LOUPE_DATA_DIR to a folder on a local disk.',
    });
  }
}

/**
 * Creates a folder and its parents. Node's `recursive` option never returns in a folder that accepts no others, such as
 * /proc: the system reports that the new folder does not exist, so Node creates the parent, again and again.
 */
function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process may have created it meanwhile.
      if (errno(error) !== 'EEXIST' || !existsSync(folder)) throw error;
    }
  }
  if (!statSync(path).isDirectory()) throw new NotAFolderError();
}

class NotAFolderError extends Error {}

/** Why the data directory cannot be used, as a clause after a colon. */
function reasonOf(cause: unknown): string {
  if (cause instanceof NotAFolderError) return 'it is not a folder';
  switch (errno(cause)) {
    case 'ENOTDIR':
      return 'a part of its path is not a folder';
    case 'ENOENT':
    case 'EEXIST':
      return 'it cannot be created there';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EROFS':
      return 'its file system is read-only';
    default:
      return errorMessage(cause);
  }
}

/** Free bytes on the file system of `path`. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The size of the file system of `path`, in bytes. */
export function totalBytes(path: string): number {
  const { blocks, bsize } = statfsSync(path);
  return blocks * bsize;
}
