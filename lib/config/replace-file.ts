import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isNoSpace } from '../util/no-space.ts';
import { withRoomFor } from './full-disk.ts';

/**
 * Replaces a file atomically, so that a killed process leaves the old or the new one, and creates its folder. Only the
 * owner can read both. Replacements of the same file run one at a time.
 *
 * @throws {AppError} `storage_full`; the old file is then unchanged
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await withRoomFor(path, async () => {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(temporary, text, { mode: 0o600, flush: true });
      await rename(temporary, path);
    } catch (error) {
      // The partial file would take up the remaining space.
      if (isNoSpace(error)) await rm(temporary, { force: true });
      throw error;
    }
  });
}
