import type { ChatModel, Residency } from '../model/chat-model.ts';
import { unlessModelError } from '../model/model-error.ts';
import type { ReadyState } from '../policies/rule.ts';

/**
 * How long the result of a load or a query is trusted, in milliseconds. Ollama takes a few milliseconds to replace a
 * model when another client waits, so a query right before each call would find little more.
 */
const KNOWN_MS = 20;

/** How long a call waits for the answer. A healthy server answers within a millisecond. */
const WAIT_MS = 1000;

/** How the model differs from what the run loaded, in the terms of the log. */
type Change = { cause: 'unloaded' } | { cause: 'other_window'; found_context_tokens?: number };

/**
 * Notices before a call that other clients unloaded the model or loaded it with another window, so that the reload is
 * logged as such and does not count against the call's time limit (K-25). A query costs a round trip, so calls within a
 * few milliseconds of each other share an answer.
 */
export class ResidencyCheck {
  readonly #model: Pick<ChatModel, 'inMemory'>;
  readonly #signal: AbortSignal;
  readonly #clock: () => number;
  #knownAt = Number.NEGATIVE_INFINITY;
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

  /** Call after a load: the model is in the state the run needs. */
  noteLoad(): void {
    this.#knownAt = this.#clock();
  }

  /**
   * Call before a model call. Finds no change a second time for the same call: two clients that keep replacing each other's
   * model must not block the run.
   */
  async findChange({ loaded, calls, config }: ReadyState): Promise<Change | undefined> {
    const { inMemory } = this.#model;
    if (!inMemory || !loaded || this.#changedBefore === calls || this.#signal.aborted) return undefined;
    if (this.#clock() - this.#knownAt <= KNOWN_MS) return undefined;
    // If the server did not list the model after loading, a missing entry means nothing.
    const expected = loaded.context_tokens;
    if (loaded.size_bytes === undefined && expected === undefined) return undefined;
    const askedAt = this.#clock();
    const found = await inTime(inMemory(config.model, this.#signal).catch(unlessModelError));
    // The model may be loaded under another name; the call itself will show it.
    if (!found || found.state === 'unknown') return undefined;
    const window = found.state === 'loaded' ? found.model.contextTokens : undefined;
    if (found.state === 'loaded' && (window === expected || expected === undefined)) {
      this.#knownAt = askedAt;
      return undefined;
    }
    this.#changedBefore = calls;
    if (found.state === 'not_loaded') return { cause: 'unloaded' };
    return { cause: 'other_window', ...(window && { found_context_tokens: window }) };
  }
}

async function inTime(answer: Promise<Residency | undefined>): Promise<Residency | undefined> {
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
