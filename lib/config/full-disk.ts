import { AppError } from '../errors/app-error.ts';
import { isNoSpace } from '../util/no-space.ts';

/**
 * Writes a file of the data directory.
 *
 * @param write writes the file
 * @param path the file, for the message
 * @throws {AppError} `storage_full` if the disk is full; other errors pass unchanged
 */
export async function withRoomFor<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    throw new AppError({
      code: 'storage_full',
      message: `The disk has no space left to write ${path}.`,
      hint: 'Free space on that disk, then try again.',
      cause,
    });
  }
}
