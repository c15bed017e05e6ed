/** Reports when something has been unused for some time since the end of its last use. */
export class IdleTimer {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param onIdle called once after each idle period, in the background */
  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  /** Counts as used while `work` runs. */
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

  /** Stops reporting. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
