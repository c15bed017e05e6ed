import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AttachedImage } from '../api/image.ts';
import { isLostAnswer } from '../client/http.ts';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import type { Terminal } from './terminal.ts';

/** Writes a download to a new file, or to standard output. */
export async function save(
  bytes: ReadableStream<Uint8Array>,
  output: string | undefined,
  { stdout }: Terminal,
): Promise<void> {
  try {
    if (output === undefined) await pipeline(bytes, stdout, { end: false });
    else await pipeline(bytes, createWriteStream(output, { flags: 'wx' })).catch(notWritten(output));
  } catch (error) {
    throw isLostAnswer(error) ? incomplete(output, error) : error;
  }
}

/** Why a file cannot be written, by the code of the system's error. */
const WRITE_PROBLEMS: Readonly<Record<string, { problem: string; hint: string }>> = {
  EEXIST: {
    problem: 'already exists.',
    hint: 'Choose another name for --output, or delete the file first.',
  },
  ENOENT: {
    problem: 'cannot be written: its folder does not exist.',
    hint: 'Create the folder first, or choose another one for --output.',
  },
  ENOTDIR: {
    problem: 'cannot be written: part of its path is a file.',
    hint: 'Choose another path for --output.',
  },
  EACCES: {
    problem: 'cannot be written: permission denied.',
    hint: 'Choose a folder for --output that you can write to.',
  },
  EROFS: {
    problem: 'cannot be written: the file system is read-only.',
    hint: 'Choose a folder for --output that you can write to.',
  },
  ENOSPC: {
    problem: 'is incomplete: the disk is full.',
    hint: 'Free some space and delete the file, or choose another disk for --output.',
  },
};

function notWritten(output: string): (error: unknown) => never {
  return (error) => {
    const known = WRITE_PROBLEMS[errno(error) ?? ''];
    if (!known) throw error;
    throw new AppError({
      code: 'usage',
      message: `${output} ${known.problem}`,
      hint: known.hint,
      cause: error,
    });
  };
}

/** Why a file cannot be read, by the code of the system's error. */
const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of its path is a file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** Throws the error for a file that cannot be read. @param hint what to give instead */
export function notRead(path: string, hint: string): (cause: unknown) => never {
  return (cause) => {
    const why = READ_PROBLEMS[errno(cause) ?? ''] ?? errorMessage(cause);
    throw new AppError({ code: 'usage', message: `${path} cannot be read: ${why}.`, hint, cause });
  };
}

/** A download that ended early, such as because the server was stopped. */
function incomplete(output: string | undefined, cause: unknown): AppError {
  return new AppError({
    code: 'unreachable',
    message: `${output ?? 'The output'} is incomplete: the connection to Loupe was lost.`,
    hint: output === undefined ? 'Try again.' : 'Delete the file and try again.',
    cause,
  });
}

/** Images as the API accepts them. @throws {AppError} `usage` for a file that cannot be read */
export async function readImages(paths: readonly string[]): Promise<AttachedImage[]> {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path).catch(
        notRead(path, 'Give the path of a PNG, JPEG, WebP or GIF file.'),
      );
      return { name: basename(path), data: bytes.toString('base64') };
    }),
  );
}

const RUN_FILE = 'Give a run file or a bug bundle.';

/** A run file or bug bundle. @throws {AppError} `usage` for one that cannot be read */
export async function openRunFile(path: string): Promise<Blob> {
  await access(path, constants.R_OK).catch(notRead(path, RUN_FILE));
  if (!(await stat(path)).isFile()) throw notAFile(path);
  return openAsBlob(path);
}

function notAFile(path: string): AppError {
  return new AppError({
    code: 'usage',
    message: `${path} is not a file.`,
    hint: RUN_FILE,
  });
}
