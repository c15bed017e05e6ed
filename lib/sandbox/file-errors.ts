import type { Stats } from 'node:fs';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import type { FileCalls } from './file-calls.ts';

/** Makes calls on a path of the workspace. @throws {AppError} with a message for the model, if the system refuses them */
export function* attempt<T>(steps: readonly string[], calls: FileCalls<T>): FileCalls<T> {
  try {
    return yield* calls;
  } catch (error) {
    throw explain(error, steps);
  }
}

export function notAFile(steps: readonly string[], stats: Stats): AppError {
  if (stats.isSymbolicLink()) return isALink(steps);
  if (stats.isDirectory()) {
    return new AppError({
      code: 'is_a_folder',
      message: `"${steps.join('/')}" is a folder.`,
      hint: 'Name a file in it; use list_directory to see them.',
    });
  }
  return new AppError({
    code: 'not_a_regular_file',
    message: `"${steps.join('/')}" is a pipe, a socket or a device.`,
    hint: 'Only regular files can be read and written.',
  });
}

export function missing(steps: readonly string[], cause?: unknown): AppError {
  return new AppError({ code: 'not_found', message: `"${shown(steps)}" does not exist.`, cause });
}

export function notAFolder(steps: readonly string[], cause?: unknown): AppError {
  return new AppError({ code: 'not_a_folder', message: `"${shown(steps)}" is not a folder.`, cause });
}

export function isALink(steps: readonly string[]): AppError {
  return new AppError({
    code: 'path_link',
    message: `"${steps.join('/')}" is a symbolic link, and links are not followed.`,
    hint: 'Name the file or folder it points to, if that is in the workspace.',
  });
}

/** Turns a system error into a message that a model can act on; other errors are returned unchanged. */
export function explain(error: unknown, steps: readonly string[]): unknown {
  const path = shown(steps);
  const say = (code: string, message: string, hint?: string) =>
    new AppError({ code, message, hint, cause: error });
  switch (errno(error)) {
    case 'ENOENT':
      return missing(steps, error);
    case 'ENOTDIR':
      return notAFolder(steps, error);
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
      return say('read_only', `"${path}" is on a read-only file system.`);
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

function shown(steps: readonly string[]): string {
  return steps.length === 0 ? '.' : steps.join('/');
}
