import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A small file without a name, kept open for as long as the server runs: what bwrap reads at each start. No cleaner of
 * /tmp can remove it and nobody else can change it.
 *
 * @returns a function that opens it anew, at its beginning; the caller closes the descriptor
 */
export function holdFile(content: string | Buffer): () => number {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-held-'));
  try {
    const path = join(folder, 'file');
    writeFileSync(path, content, { mode: 0o400 });
    const base = openSync(path, constants.O_RDONLY);
    // Descriptors that are merely duplicated share one offset, and the second reader would find the end.
    return () => openSync(`/proc/self/fd/${base}`, constants.O_RDONLY);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens several held files for a child, and closes them here once the action is through. */
export function withHeldFiles<T>(files: readonly (() => number)[], action: (fds: readonly number[]) => T): T {
  const fds: number[] = [];
  try {
    for (const open of files) fds.push(open());
    return action(fds);
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}
