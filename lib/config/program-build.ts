import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * From which sources the dashboard was built: the hash that `scripts/build-state.mjs` stores in its folder; `undefined`
 * without one.
 *
 * @param root the program's folder; default: the working directory, which is that of the server
 */
export function programBuild(root = process.cwd()): string | undefined {
  try {
    return readFileSync(join(root, process.env.LOUPE_DIST_DIR || '.next', 'loupe-sources'), 'utf8');
  } catch {
    return undefined; // not built by our scripts
  }
}
