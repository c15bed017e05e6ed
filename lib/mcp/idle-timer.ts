/** Reports that something has not been used for a time, counted from the end of its last use. */
export class IdleTimer {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param onIdle called once after each time without use, in the background */
  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  /** Counts as use while `work` is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#uses += 1;
    try {
      return await work();
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0 && !this.#stopped) {
        this.#timer = setTimeout(this.#onIdle, this.#idleMs).unref();
      }
    }
  }

  /** Reports nothing any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
