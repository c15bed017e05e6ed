import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inScratchPlace } from './scratch-place.ts';

/**
 * Holds the content of a small file for bwrap to read at each start, in an unnamed file that stays open while the server
 * runs. Cleaners of /tmp cannot remove it and nobody else can change it.
 *
 * @returns a function that reopens it from the start; the caller closes the descriptor
 */
export function holdFile(content: string | Buffer): () => number {
  const base = openNameless(content);
  // Duplicated descriptors would share one offset, and the second reader would start at the end.
  return () => openSync(`/proc/self/fd/${base}`, constants.O_RDONLY);
}

/** Opens an unnamed file with this content, to be read once. The caller closes the descriptor. */
export function openNameless(content: string | Buffer): number {
  return inScratchPlace((place) => {
    const folder = mkdtempSync(join(place, 'loupe-held-'));
    try {
      const path = join(folder, 'file');
      writeFileSync(path, content, { mode: 0o400 });
      return openSync(path, constants.O_RDONLY);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Opens several held files for a child process, and closes them here after the action. */
export function withHeldFiles<T>(files: readonly (() => number)[], action: (fds: readonly number[]) => T): T {
  const fds: number[] = [];
  try {
    for (const open of files) fds.push(open());
    return action(fds);
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}
