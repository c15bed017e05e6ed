import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in `package.json` of the program that runs; empty if it has none. */
export function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}
