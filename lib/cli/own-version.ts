import { join } from 'node:path';
import { programVersion } from '../config/program-version.ts';

/** The version of the command line, whose working directory is the caller's. */
export function ownVersion(): string {
  return programVersion(join(import.meta.dirname, '..', '..'));
}
