import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../errors/app-error.ts';

// linux/fcntl.h, the same on x86_64 and arm64: sufficient for lookups, and needs no permission to list the folder
const O_PATH = 0o10000000;
const FLAGS = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens the folder at a canonical path without following any link. A command that worked in a parent folder may have
 * replaced it by a link: this opens the intended folder or fails. Linux only.
 *
 * @throws {AppError} `workspace_moved`
 */
export async function openCanonical(path: string): Promise<FileHandle> {
  let folder = await open('/', FLAGS);
  try {
    for (const step of path.split('/').filter((part) => part !== '')) {
      const next = await open(`/proc/self/fd/${folder.fd}/${step}`, FLAGS);
      await folder.close();
      folder = next;
    }
    return folder;
  } catch (cause) {
    await folder.close();
    throw workspaceMoved(path, cause);
  }
}

export function workspaceMoved(path: string, cause?: unknown): AppError {
  return new AppError({
    code: 'workspace_moved',
    message: `The workspace ${path} no longer exists, or a folder in its path has become a link.`,
    hint: 'Put the folder back where it was, or start a run in the folder as it is now.',
    cause,
  });
}
