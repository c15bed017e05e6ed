/** Runs one task at a time, in arrival order. The number of waiting tasks can be limited; aborting one frees its place. */
export class OneAtATime {
  readonly #limit: { maxWaiting: number; full: () => Error } | undefined;
  readonly #waiting = new Set<() => void>();
  #busy = false;

  /** @param limit.full creates the error thrown when too many tasks are waiting */
  constructor(limit?: { maxWaiting: number; full: () => Error }) {
    this.#limit = limit;
  }

  /**
   * Runs `work` when its turn comes.
   *
   * @throws the abort reason if aborted while waiting, the error of `full`, or the error of `work`
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#busy) await this.#turn(signal);
    this.#busy = true;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      // Pass the place on directly: a task that arrives in between must still find it taken.
      if (next) next();
      else this.#busy = false;
    }
  }

  #turn(signal?: AbortSignal): Promise<void> {
    if (this.#limit && this.#waiting.size >= this.#limit.maxWaiting) throw this.#limit.full();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal?.removeEventListener('abort', leave);
      this.#waiting.delete(enter);
      resolve();
    };
    const leave = () => {
      this.#waiting.delete(enter);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#waiting.add(enter);
    return promise;
  }
}
