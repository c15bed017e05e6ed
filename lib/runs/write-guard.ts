import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors/app-error.ts';
import { freeBytes } from '../store/data-directory.ts';
import type { RunStore } from '../store/run-store.ts';
import { isStoreBusy, tooLittleRoom } from '../store/store-errors.ts';

/** Polling interval for free space on a full disk. */
const DISK_LOOK_MS = 1000;

export interface WriteGuardOptions {
  store: Pick<RunStore, 'fullDisk'>;
  dataDir: string;
  /** New runs are refused below this much free space. */
  minFreeBytes: number;
  /** Aborted when the server stops. */
  closing: AbortSignal;
}

/** Refuses writes on a full disk, and new work once the server stops. */
export class WriteGuard {
  readonly #options: WriteGuardOptions;

  constructor(options: WriteGuardOptions) {
    this.#options = options;
  }

  /** @throws {AppError} `shutting_down` */
  refuseWhenClosing(): void {
    if (!this.#options.closing.aborted) return;
    throw new AppError({
      code: 'shutting_down',
      message: 'The server is stopping.',
      hint: 'Start it again with npm start.',
    });
  }

  /** @throws {AppError} `storage_full` while the store is read-only */
  async refuseWhenReadOnly(): Promise<void> {
    const full = await this.#options.store.fullDisk();
    if (full) throw new AppError({ code: 'storage_full', ...full });
  }

  /** @throws {AppError} `shutting_down`, `storage_full` also below `minFreeBytes` */
  async refuseNewRun(): Promise<void> {
    this.refuseWhenClosing();
    await this.refuseWhenReadOnly();
    const { dataDir, minFreeBytes } = this.#options;
    const free = freeBytes(dataDir);
    if (free < minFreeBytes) throw tooLittleRoom(dataDir, { freeBytes: free, minFreeBytes });
  }

  /** Resolves once the store is writable or the server stops. */
  async whenWritable(): Promise<void> {
    const { closing } = this.#options;
    while (!closing.aborted && !(await this.#isWritable())) {
      await delay(DISK_LOOK_MS, undefined, { signal: closing, ref: false }).catch(() => undefined);
    }
  }

  async #isWritable(): Promise<boolean> {
    try {
      return !(await this.#options.store.fullDisk());
    } catch (error) {
      // A database server may restart on a full disk.
      if (!isStoreBusy(error)) throw error;
      return false;
    }
  }
}
