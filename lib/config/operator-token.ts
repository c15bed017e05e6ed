import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { BASE64URL_32_BYTES } from '../util/byte-patterns.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { isNoSpace } from '../util/no-space.ts';

/**
 * Returns the operator token: the given one, or the one of this installation (256 random bits, generated at the first
 * start, mode 0600 in the data directory). On a full disk a new one is kept in memory.
 *
 * @throws {AppError} `token_unreadable` if the file has other content, or cannot be read or created
 */
export function operatorToken(dataDir: string, given: string | undefined): string {
  if (given !== undefined) return given;
  const path = join(dataDir, 'token');
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (!BASE64URL_32_BYTES.test(token)) {
      throw new AppError({
        code: 'token_unreadable',
        message: `${path} does not hold an operator token.`,
        hint: 'Restore it, or delete it: a new one is made at the next start.',
      });
    }
    chmodSync(path, 0o600);
    return token;
  } catch (error) {
    if (errno(error) !== 'ENOENT') throw unreadable(path, error);
  }
  const token = randomBytes(32).toString('base64url');
  try {
    // `wx`: if two processes start at the same time, only one creates the file.
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isNoSpace(error)) throw unreadable(path, error);
    rmSync(path, { force: true }); // an empty file would keep the next start from creating one
    console.warn(
      `${path} could not be written: the disk is full. The operator token is valid until Loupe stops.`,
    );
  }
  return token;
}

function unreadable(path: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError({
    code: 'token_unreadable',
    message: `The operator token in ${path} cannot be read: ${errorMessage(cause)}`,
    hint: 'Make it a file that you own and can read, or delete it: a new one is made at the next start.',
    cause,
  });
}
