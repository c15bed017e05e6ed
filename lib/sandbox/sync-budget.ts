/** System calls that one operation may make on the event loop: about 1 ms. */
export const MAX_SYNC_CALLS = 256;
/** Bytes that one operation may read or write on the event loop. */
export const MAX_SYNC_BYTES = 256 * 1024;
/** If the last call that waited for the disk took longer, in milliseconds, changes to folders go to the thread pool. */
const PROMPT_MS = 5;
/** A disk that keeps the event loop busy this long with one operation is slow. */
const SLOW_MS = 100;
/** How long the event loop makes no calls to a slow disk: the first time, and the maximum. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 64_000;

export interface CallCost {
  calls: number;
  bytes: number;
  /** Whether the call waits for the disk to write, so that only the thread pool may make it. */
  waits: boolean;
  /** Whether the call changes the entries of a folder, which blocks while the file system writes its journal. */
  changes: boolean;
}

/**
 * A local disk. Its answers usually come from memory, within microseconds; handing each call to the thread pool would
 * take many times as long. A disk that is asleep, busy or failing stalls the event loop once; then it is left to the
 * thread pool for a while, and twice as long if it is slow again soon after that.
 */
export class LocalDisk {
  readonly device: number;
  #pauseMs = MIN_PAUSE_MS;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #writes = 0;
  #lastWriteMs = 0;

  constructor(device: number) {
    this.device = device;
  }

  /** A budget for one operation; `undefined` while the disk is left to the thread pool. */
  budget(): SyncBudget | undefined {
    return performance.now() < this.#pausedUntil ? undefined : new SyncBudget(this);
  }

  /** Whether a change to a folder is likely to complete at once. */
  get isPrompt(): boolean {
    return this.#writes === 0 && this.#lastWriteMs <= PROMPT_MS;
  }

  /** Awaits a call of the thread pool that waits for the disk, and records how long it took. */
  async during<T>(call: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.#writes += 1;
    try {
      return await call;
    } finally {
      this.#writes -= 1;
      this.#lastWriteMs = performance.now() - startedAt;
    }
  }

  /** Records how long the event loop was busy with calls to this disk. */
  tookMs(ms: number): void {
    if (ms <= SLOW_MS) return;
    const now = performance.now();
    const isSoon = now - this.#pausedUntil < MAX_PAUSE_MS;
    this.#pauseMs = isSoon ? Math.min(2 * this.#pauseMs, MAX_PAUSE_MS) : MIN_PAUSE_MS;
    this.#pausedUntil = now + this.#pauseMs;
  }
}

/** The remaining budget of one operation on the event loop. The thread pool does the rest. */
export class SyncBudget {
  readonly disk: LocalDisk;
  #calls = MAX_SYNC_CALLS;
  #bytes = MAX_SYNC_BYTES;

  constructor(disk: LocalDisk) {
    this.disk = disk;
  }

  /** Whether the call may be made on the event loop; takes its cost if so. */
  covers({ calls, bytes, waits, changes }: CallCost): boolean {
    if (waits || (changes && !this.disk.isPrompt) || calls > this.#calls || bytes > this.#bytes) return false;
    this.#calls -= calls;
    this.#bytes -= bytes;
    return true;
  }

  /**
   * Ends the budget if the operation has reached another device: something may be mounted there.
   *
   * @returns whether it is still on the disk
   */
  reached(device: number): boolean {
    const isHere = device === this.disk.device;
    if (!isHere) this.#calls = 0;
    return isHere;
  }
}
