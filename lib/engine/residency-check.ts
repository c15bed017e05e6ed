import type { ChatModel, Residency } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import type { ReadyState } from '../policies/rule.ts';

/**
 * The model is asked about again if the question is older than this when the call begins. A change after the question goes
 * unnoticed, and Ollama takes some milliseconds after a reply to replace a model for which another client waits.
 */
const MAX_AGE_MS = 20;

/** How long a call waits for the answer; the server answers within a millisecond unless something is wrong with it. */
const WAIT_MS = 1000;

interface Question {
  readonly askedAt: number;
  /** The load and the last call that preceded the question. Without both, its answer says nothing about the next call. */
  readonly loaded: ReadyState['loaded'];
  readonly calls: number;
  readonly answer: Promise<Residency | undefined>;
}

/** What was found instead of the model as the run loaded it, in the terms of the log. */
type Change = { cause: 'unloaded' } | { cause: 'other_window'; found_context_tokens?: number };

/**
 * Notices before a call that other clients unloaded the model or loaded it with another window, so that the reload is
 * logged as such and does not count against the call's time limit (K-25). The question costs a round trip or more, so it is
 * asked while the tools of the last reply run. It is asked for every call: another client's request may have waited for our
 * last call to end, which replaces the model within milliseconds of it.
 */
export class ResidencyCheck {
  readonly #model: Pick<ChatModel, 'inMemory'>;
  readonly #signal: AbortSignal;
  readonly #clock: () => number;
  #question: Question | undefined;
  /** The call count at the last change. */
  #changedBefore: number | undefined;

  /** @param clock milliseconds; default: a monotonic clock */
  constructor(
    model: Pick<ChatModel, 'inMemory'>,
    signal: AbortSignal,
    clock: () => number = () => performance.now(),
  ) {
    this.#model = model;
    this.#signal = signal;
    this.#clock = clock;
  }

  /** Called when a tool starts: asks the server unless there is a recent question. Returns at once. */
  begin(state: ReadyState): void {
    this.#ask(state);
  }

  /** Called after a load, which ends with the same question. */
  noteLoad({ loaded, calls }: ReadyState): void {
    this.#question = { askedAt: this.#clock(), loaded, calls, answer: Promise.resolve(undefined) };
  }

  /**
   * Called before a call. Finds no change a second time for the same call: two clients that keep replacing each other's
   * model must not block the run.
   */
  async findChange(state: ReadyState): Promise<Change | undefined> {
    const question = this.#ask(state);
    const found = question && (await this.#inTime(question.answer));
    const expected = state.loaded?.context_tokens;
    // The model may be loaded under another name; the call itself will tell.
    if (!found || found.state === 'unknown') return undefined;
    const window = found.state === 'loaded' ? found.model.contextTokens : undefined;
    if (found.state === 'loaded' && (window === expected || expected === undefined)) return undefined;
    this.#changedBefore = state.calls;
    if (found.state === 'not_loaded') return { cause: 'unloaded' };
    return { cause: 'other_window', ...(window && { found_context_tokens: window }) };
  }

  #ask({ loaded, calls, config }: ReadyState): Question | undefined {
    const { inMemory } = this.#model;
    if (!inMemory || !loaded || this.#changedBefore === calls || this.#signal.aborted) return undefined;
    // A server that did not list the model after loading cannot tell that it is gone.
    if (loaded.size_bytes === undefined && loaded.context_tokens === undefined) return undefined;
    const known = this.#question;
    if (known?.loaded === loaded && known.calls === calls && this.#clock() - known.askedAt <= MAX_AGE_MS) {
      return known;
    }
    const answer = inMemory(config.model, this.#signal).catch(unlessModelError);
    answer.catch(() => {}); // a question that no call waits for; a bug in it must not end the process
    this.#question = { askedAt: this.#clock(), loaded, calls, answer };
    return this.#question;
  }

  async #inTime(answer: Question['answer']): Promise<Residency | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), WAIT_MS);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The call itself will report whatever is wrong with the server. */
function unlessModelError(error: unknown): undefined {
  if (!(error instanceof ModelError)) throw error;
}
