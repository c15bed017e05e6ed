/** How long an answer is reused, in milliseconds. Within this time, a change made by another program may go unnoticed. */
const LIFETIME_MS = 5000;

/** Old answers are dropped when there are more than this. */
const MAX_ANSWERS = 100;

interface Answer<T> {
  readonly value: T;
  /** When it was asked for, in milliseconds of the clock. */
  readonly askedAt: number;
}

/**
 * A server's answers of the last seconds, so that runs that start one after another do not all ask the same. Failures are
 * not kept, and neither is an answer to a question asked before `forget`.
 */
export class RecentAnswers<T> {
  readonly #clock: () => number;
  #answers = new Map<string, Answer<T>>();

  /** @param clock milliseconds; default: a monotonic clock */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The recent answer, or a new one. */
  async get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key);
    return known && this.#isRecent(known) ? known.value : this.renew(key, ask);
  }

  /** A new answer, whatever is known. */
  async renew(key: string, ask: () => Promise<T>): Promise<T> {
    const answers = this.#answers;
    const askedAt = this.#clock();
    const value = await ask();
    if (answers.size >= MAX_ANSWERS) this.#drop(answers);
    answers.set(key, { value, askedAt });
    return value;
  }

  /** Forgets all answers, also those still on their way. */
  forget(): void {
    this.#answers = new Map();
  }

  #isRecent({ askedAt }: Answer<T>): boolean {
    return this.#clock() - askedAt < LIFETIME_MS;
  }

  #drop(answers: Map<string, Answer<T>>): void {
    for (const [key, answer] of answers) if (!this.#isRecent(answer)) answers.delete(key);
  }
}
