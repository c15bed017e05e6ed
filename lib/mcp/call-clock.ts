import { AnswerTimeoutError } from './lost-answer.ts';

/**
 * The time limit of a call. The clock stops while a person is asked, which may take days. Aborts its signal when the
 * time is up.
 */
export class CallClock implements Disposable {
  readonly #limitMs: number;
  readonly #over = new AbortController();
  #leftMs: number;
  #timer: NodeJS.Timeout | undefined;
  #runsSince = 0;
  #pauses = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    this.#run();
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Stops the clock while `work` runs. */
  async pausedFor<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pauses === 0) {
      clearTimeout(this.#timer);
      this.#leftMs -= performance.now() - this.#runsSince;
    }
    this.#pauses += 1;
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#run();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  #run(): void {
    this.#runsSince = performance.now();
    const seconds = Math.round(this.#limitMs / 1000);
    this.#timer = setTimeout(
      () => this.#over.abort(new AnswerTimeoutError(`The call timed out after ${seconds} s.`)),
      Math.max(0, this.#leftMs),
    );
  }
}
