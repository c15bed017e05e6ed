import { type ExactValues, findSensitive } from './find-sensitive.ts';
import type { Match } from './match.ts';

/** Caches the findings of texts: a log repeats most of them several times and is read twice. */
export class RememberedTexts {
  readonly #maxChars: number;
  readonly #seen = new Map<string, readonly Match[]>();
  #chars = 0;
  /** The values that the cached findings are based on. */
  #exact: readonly ExactValues[] | undefined;

  /** @param options.maxChars cache size, as the total length of all texts */
  constructor(options: { maxChars: number }) {
    this.#maxChars = options.maxChars;
  }

  /** @param exact values to search for literally; a different list clears the cache */
  find(text: string, exact: readonly ExactValues[]): readonly Match[] {
    if (this.#exact !== exact || this.#chars > this.#maxChars) {
      this.#seen.clear();
      this.#chars = 0;
      this.#exact = exact;
    }
    let matches = this.#seen.get(text);
    if (!matches) {
      matches = findSensitive(text, exact);
      this.#seen.set(text, matches);
      this.#chars += text.length;
    }
    return matches;
  }
}
