import { setTimeout as delay } from 'node:timers/promises';
import { isStoreBusy, storeError } from '../store-errors.ts';

/** How long an operation waits for a database that another program has locked, in milliseconds. */
export const BUSY_PATIENCE_MS = 5000;
const BUSY_LOOK_MS = 50;

/**
 * Runs its work once no other program has the database locked. Other work continues meanwhile, because waiting inside
 * SQLite would block the thread.
 *
 * @throws {AppError} `store_busy` after `patienceMs`, and explained errors of SQLite
 */
export async function whenFree<T>(
  work: () => T,
  { path, patienceMs }: { path: string; patienceMs: number },
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return work();
    } catch (cause) {
      const error = storeError(cause, path);
      if (!isStoreBusy(error) || performance.now() >= deadline) throw error;
      await delay(BUSY_LOOK_MS);
    }
  }
}
