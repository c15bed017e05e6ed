/** How long an answer is reused, in milliseconds. Within this time, a change made by another program may go unnoticed. */
const LIFETIME_MS = 5000;

/** How old an answer about what is in memory may be, in milliseconds: just enough for runs that start together to share it. */
export const MOMENT_MS = 20;

/** How old the list of models may be where it decides whether a run starts, in milliseconds: models change by hand. */
export const SHORT_WHILE_MS = 250;

/** Old answers are dropped when there are more than this. */
const MAX_ANSWERS = 100;

interface Answer<T> {
  readonly value: T;
  /** When it was requested, in milliseconds of the clock. */
  readonly askedAt: number;
}

/** A question on its way. */
interface Question<T> {
  readonly answer: Promise<Answer<T>>;
  readonly askedAt: number;
}

/** How old an answer a caller accepts, and how long it waits. */
export interface Patience {
  /** How old the question may be, in milliseconds. Default: 5 s. */
  maxAgeMs?: number;
  /** Ends the wait for the answer to a question of another caller. */
  signal?: AbortSignal;
}

/**
 * A server's answers of the last seconds, so that runs that start in succession or together do not repeat the same
 * queries. Failures are not kept, and neither are answers to queries made before `forget`.
 */
export class RecentAnswers<T> {
  readonly #clock: () => number;
  #answers = new Map<string, Answer<T>>();
  #questions = new Map<string, Question<T>>();

  /** @param clock milliseconds; default: a monotonic clock */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The recent answer, the pending one, or a new one. A failure of another caller's query is not passed on. */
  async get(
    key: string,
    ask: () => Promise<T>,
    { maxAgeMs = LIFETIME_MS, signal }: Patience = {},
  ): Promise<T> {
    const known = this.#answers.get(key);
    if (known && this.#isRecent(known, maxAgeMs)) return known.value;
    const question = this.#questions.get(key);
    if (question && this.#isRecent(question, maxAgeMs)) {
      const answer = await unlessItFails(question.answer, signal);
      if (answer) return answer.value;
    }
    return this.renew(key, ask);
  }

  /** A new answer, even if a recent one is known. */
  async renew(key: string, ask: () => Promise<T>): Promise<T> {
    const answers = this.#answers;
    const questions = this.#questions;
    const askedAt = this.#clock();
    const question = { askedAt, answer: ask().then((value) => ({ value, askedAt })) };
    questions.set(key, question);
    try {
      const answer = await question.answer;
      if (answers.size >= MAX_ANSWERS) this.#drop(answers);
      // A later question may have been answered first.
      if ((answers.get(key)?.askedAt ?? askedAt) <= askedAt) answers.set(key, answer);
      return answer.value;
    } finally {
      if (questions.get(key) === question) questions.delete(key);
    }
  }

  /** The age of the known answer, counted from its query, in milliseconds. */
  ageMs(key: string): number | undefined {
    const known = this.#answers.get(key);
    return known && this.#clock() - known.askedAt;
  }

  /** Forgets all answers, also those still on their way. */
  forget(): void {
    this.#answers = new Map();
    this.#questions = new Map();
  }

  #isRecent({ askedAt }: { askedAt: number }, maxAgeMs: number): boolean {
    return this.#clock() - askedAt < maxAgeMs;
  }

  #drop(answers: Map<string, Answer<T>>): void {
    for (const [key, answer] of answers) if (!this.#isRecent(answer, LIFETIME_MS)) answers.delete(key);
  }
}

/** `undefined` if it fails for any reason of the other caller, or if `signal` fires first. */
async function unlessItFails<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped, answer]);
  } catch {
    return undefined;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
