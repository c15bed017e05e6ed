import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { isNoSpace } from '../../util/no-space.ts';
import { FileLock } from './file-lock.ts';

/** The process that holds a data directory, stored next to the lock so that a second start can report and open its URL. */
const holder = z.object({
  pid: z.int(),
  url: z
    .url({ protocol: /^http$/ })
    .transform((url) => new URL(url).origin)
    .optional()
    .catch(undefined),
});
export type LockHolder = z.infer<typeof holder>;

/** Another Loupe uses this data directory. */
export class AlreadyRunningError extends AppError {
  readonly holder: LockHolder | undefined;

  constructor(dataDir: string, found: LockHolder | undefined) {
    const who = found ? ` (process ${found.pid}${found.url ? `, ${found.url}` : ''})` : '';
    super({
      code: 'already_running',
      message: `Loupe is already running with the data directory ${dataDir}${who}.`,
      hint: 'Use the running one, stop it first, or set LOUPE_DATA_DIR and LOUPE_PORT for a second one.',
    });
    this.name = 'AlreadyRunningError';
    this.holder = found;
  }
}

/** The exclusive right to write to a data directory, held for the life of the process. */
export class InstanceLock {
  readonly #lock: FileLock;
  readonly #holderPath: string;

  private constructor(lock: FileLock, holderPath: string) {
    this.#lock = lock;
    this.#holderPath = holderPath;
  }

  /** @throws {AlreadyRunningError} when another process has it */
  static take(dataDir: string): InstanceLock {
    const holderPath = join(dataDir, 'server.json');
    const lock = FileLock.take(join(dataDir, 'lock.db'));
    if (!lock) throw new AlreadyRunningError(dataDir, readHolder(holderPath));
    return new InstanceLock(lock, holderPath);
  }

  /** Publishes this process's URL for a second start. */
  announce(holderNow: LockHolder): void {
    try {
      writeFileSync(this.#holderPath, `${JSON.stringify(holderNow)}\n`, { mode: 0o600 });
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      rmSync(this.#holderPath, { force: true });
      console.warn(
        `${this.#holderPath} could not be written: the disk is full. A second start cannot find this one.`,
      );
    }
  }

  release(): void {
    rmSync(this.#holderPath, { force: true });
    this.#lock.release();
  }
}

function readHolder(path: string): LockHolder | undefined {
  try {
    return holder.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined; // only informs about the holder; the lock does not depend on it
  }
}
