import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isNoSpace } from '../util/no-space.ts';
import { withRoomFor } from './full-disk.ts';

/**
 * Replaces a file at once, so that a killed process leaves the old or the new one, and creates its folder. Only the owner
 * can read both. Of the same file, one at a time.
 *
 * @throws {AppError} `storage_full`; then the old file is there as it was
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await withRoomFor(path, async () => {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, text, { mode: 0o600, flush: true });
      await rename(temporary, path);
    } catch (error) {
      // Its beginning would take up the room that is left.
      if (isNoSpace(error)) await rm(temporary, { force: true });
      throw error;
    }
  });
}
