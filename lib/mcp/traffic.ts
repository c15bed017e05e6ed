import { FLOOD_WINDOW_MS, MAX_BYTES_PER_WINDOW, MAX_MESSAGES_PER_WINDOW } from './limits.ts';

/** Counts what a server sends. A flood would block the event loop. */
export class Traffic {
  readonly #now: () => number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #messages = 0;
  #bytes = 0;

  /** @param now milliseconds of a clock that never runs backwards */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts messages and bytes. @returns whether the server sends too much */
  isFlood({ messages = 0, bytes = 0 }: { messages?: number; bytes?: number }): boolean {
    const now = this.#now();
    if (now - this.#windowStart >= FLOOD_WINDOW_MS) {
      this.#windowStart = now;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += messages;
    this.#bytes += bytes;
    return this.#messages > MAX_MESSAGES_PER_WINDOW || this.#bytes > MAX_BYTES_PER_WINDOW;
  }
}
