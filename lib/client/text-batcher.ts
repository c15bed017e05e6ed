/**
 * Batches text and emits it at most once per interval, so that a fast model causes twenty messages a second instead of
 * hundreds. Order is kept: text of another kind flushes pending text first (E2, E3).
 */
export class TextBatcher<K extends string> {
  readonly #emit: (kind: K, text: string) => void;
  readonly #intervalMs: number;
  #kind: K | undefined;
  #text = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(emit: (kind: K, text: string) => void, intervalMs = 50) {
    this.#emit = emit;
    this.#intervalMs = intervalMs;
  }

  push(kind: K, text: string): void {
    if (text === '') return;
    if (this.#kind !== kind) this.flush();
    this.#kind = kind;
    this.#text += text;
    this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs);
  }

  /** Emits pending text now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kind = this.#kind;
    const text = this.#text;
    this.#kind = undefined;
    this.#text = '';
    if (kind !== undefined) this.#emit(kind, text);
  }
}
