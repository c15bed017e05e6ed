import { type ExactValues, findSensitive } from './find-sensitive.ts';
import type { Match } from './match.ts';

/** What was found in texts: a log says most of them several times, and is read twice. */
export class RememberedTexts {
  readonly #maxChars: number;
  readonly #seen = new Map<string, readonly Match[]>();
  #chars = 0;
  /** What the remembered findings were looked for by. */
  #exact: readonly ExactValues[] | undefined;

  /** @param options.maxChars how much is remembered, by the length of all texts */
  constructor(options: { maxChars: number }) {
    this.#maxChars = options.maxChars;
  }

  /** @param exact values that are looked for as they are; other ones than before make everything be looked through anew */
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
