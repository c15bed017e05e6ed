import { setTimeout as delay } from 'node:timers/promises';

/**
 * Queries to a server that may not respond, for pages that must not wait for it. After the limit the answer counts as
 * unknown; the query continues, and callers with the same key share it.
 */
export class PromptAnswers<Answer> {
  readonly #withinMs: number;
  readonly #late = new Map<string, Promise<Answer>>();
  readonly #closed = new AbortController();

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  /**
   * @param question has its own timeout
   * @returns `undefined` if there is no answer yet
   * @throws errors of the query within the limit
   */
  async ask(
    key: string,
    question: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<{ answer: Answer } | undefined> {
    // Share only late queries: a page that has just changed something must not get an older answer.
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

  /** Aborts all open queries. */
  close(): void {
    this.#closed.abort();
  }

  #keep(key: string, asked: Promise<Answer>): void {
    if (this.#late.get(key) === asked) return;
    this.#late.set(key, asked);
    const forget = () => this.#late.delete(key);
    // A failure is reported by the next query.
    asked.then(forget, forget);
  }
}
