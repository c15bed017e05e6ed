import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file at once, so that a killed process leaves the old or the new one, and creates its folder. Only the owner
 * can read both. Of the same file, one at a time.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, path);
}
