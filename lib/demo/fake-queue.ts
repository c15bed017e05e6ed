/** A limit on concurrent chats. */
export class Queue {
  readonly #parallel: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(parallel: number, maxWaiting: number) {
    this.#parallel = parallel;
    this.#maxWaiting = maxWaiting;
  }

  /** Waits for a slot. Returns the function that releases it, or `undefined` if the queue is full. */
  async enter(gone: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#active >= this.#parallel) {
      if (this.#waiting.length >= this.#maxWaiting) return undefined;
      await new Promise<void>((resolve, reject) => {
        const go = () => resolve();
        this.#waiting.push(go);
        gone.addEventListener('abort', () => {
          const place = this.#waiting.indexOf(go);
          if (place >= 0) this.#waiting.splice(place, 1);
          reject(new Error('the client left the queue'));
        });
      });
    }
    this.#active += 1;
    return () => {
      this.#active -= 1;
      this.#waiting.shift()?.();
    };
  }
}
