import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errno } from '../util/errno.ts';

/**
 * The folder of the built dashboard. Must match `scripts/build-state.mjs`.
 *
 * @param root the program's folder
 */
export function dashboardFolder(root: string): string {
  return join(root, process.env.LOUPE_DIST_DIR ?? '.next');
}

/**
 * The hash of the sources that the dashboard was built from, as `scripts/build-state.mjs` stores it; `undefined` if the
 * build has none.
 *
 * @param root the program's folder; default: the working directory, which is that of the server
 */
export function programBuild(root = process.cwd()): string | undefined {
  try {
    return readFileSync(join(dashboardFolder(root), 'loupe-sources'), 'utf8');
  } catch (error) {
    if (errno(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
