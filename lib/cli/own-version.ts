import { join } from 'node:path';
import { programVersion } from '../config/program-version.ts';

/** The version of this program, which runs in the folder of a person. */
export function ownVersion(): string {
  return programVersion(join(import.meta.dirname, '..', '..'));
}
