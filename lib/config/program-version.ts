import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The version in the running program's `package.json`; empty if it has none.
 *
 * @param root its folder; default: the working directory, which is that of the server
 */
export function programVersion(root = process.cwd()): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}
