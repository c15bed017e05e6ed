/**
 * Lets one piece of work go on at a time, in the order they came; so many may wait, and one that is given up while it
 * waits makes room.
 */
export class OneAtATime {
  readonly #maxWaiting: number;
  readonly #full: () => Error;
  readonly #waiting = new Set<() => void>();
  #busy = false;

  /** @param options.full what is thrown at one that finds too many waiting */
  constructor(options: { maxWaiting: number; full: () => Error }) {
    this.#maxWaiting = options.maxWaiting;
    this.#full = options.full;
  }

  /**
   * Does the work when it is its turn.
   *
   * @throws what the signal was fired with while it waited, what `full` brings, and what the work throws
   */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#busy) await this.#turn(signal);
    this.#busy = true;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      // The place is handed on: whoever comes in between still finds it taken.
      if (next) next();
      else this.#busy = false;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) throw this.#full();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(enter);
      resolve();
    };
    const leave = () => {
      this.#waiting.delete(enter);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(enter);
    return promise;
  }
}
