import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors/app-error.ts';

/**
 * The operator token: the one given from outside, else the one of this installation (256 random bits, made at the
 * first start, mode 0600 in the data directory).
 *
 * @throws {AppError} `token_unreadable` when the file holds something else
 */
export function operatorToken(dataDir: string, given: string | undefined): string {
  if (given !== undefined) return given;
  const path = join(dataDir, 'token');
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (!/^[A-Za-z0-9_-]{43}$/.test(token)) {
      throw new AppError({
        code: 'token_unreadable',
        message: `${path} does not hold an operator token.`,
        hint: 'Delete it: a new one is made at the next start.',
      });
    }
    chmodSync(path, 0o600);
    return token;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const token = randomBytes(32).toString('base64url');
  // `wx`: of two processes that start at once, one makes the file.
  writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return token;
}
