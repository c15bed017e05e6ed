import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { isNoSpace } from '../util/no-space.ts';

/**
 * Replaces a file at once, so that a killed process leaves the old or the new one, and creates its folder. Only the owner
 * can read both. Of the same file, one at a time.
 *
 * @throws {AppError} `storage_full`; then the old file is there as it was
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, path);
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    await rm(temporary, { force: true }); // its beginning would take up the room that is left
    throw new AppError({
      code: 'storage_full',
      message: `The disk has no room to write ${path}.`,
      hint: 'Free space on that disk, then try again.',
      cause,
    });
  }
}
