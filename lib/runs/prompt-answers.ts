import { setTimeout as delay } from 'node:timers/promises';

/**
 * Questions to a server that may be silent, for pages that must not wait for it: what does not come within the limit is
 * unknown for now. The question goes on, and who asks the same meanwhile waits for its answer.
 */
export class PromptAnswers<Answer> {
  readonly #withinMs: number;
  readonly #late = new Map<string, Promise<Answer>>();
  readonly #closed = new AbortController();

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  /**
   * @param question has a limit of its own
   * @returns `undefined` when there is no answer yet
   * @throws what the question throws within the limit
   */
  async ask(
    key: string,
    question: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<{ answer: Answer } | undefined> {
    // Only a question that is late is shared: a page that has just changed something must not get an older answer.
    const asked = this.#late.get(key) ?? question(this.#closed.signal);
    const given = new AbortController();
    const limit = delay(this.#withinMs, undefined, { signal: given.signal }).catch(() => undefined);
    try {
      const first = await Promise.race([asked.then((answer) => ({ answer })), limit]);
      if (!first) this.#keep(key, asked);
      return first;
    } finally {
      given.abort();
    }
  }

  /** Ends all questions that are still open. */
  close(): void {
    this.#closed.abort();
  }

  #keep(key: string, asked: Promise<Answer>): void {
    if (this.#late.get(key) === asked) return;
    this.#late.set(key, asked);
    const forget = () => this.#late.delete(key);
    // The next question meets whatever made this one fail.
    asked.then(forget, forget);
  }
}
