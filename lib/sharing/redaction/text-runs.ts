/**
 * Finds the ends of character runs in one text. Scanners query the same run from many positions; each run is walked once, so
 * that a scan stays linear for any text.
 */
export class TextRuns {
  readonly text: string;
  readonly #ends = new Map<CharSet, { from: number; end: number }>();
  readonly #next = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** The end of the run of `set` characters that contains `from`. For each set, query with increasing `from`. */
  endOf(set: CharSet, from: number): number {
    const known = this.#ends.get(set);
    if (known && from >= known.from && from < known.end) return known.end;
    let end = from;
    while (end < this.text.length && set.has(this.text.charCodeAt(end))) end += 1;
    this.#ends.set(set, { from, end });
    return end;
  }

  /**
   * The next position of `needle` at or after `from`, or the text's length. For each needle, query with increasing
   * `from`.
   */
  next(needle: string, from: number): number {
    const known = this.#next.get(needle);
    if (known && from >= known.from && from <= known.at) return known.at;
    const found = this.text.indexOf(needle, from);
    const at = found < 0 ? this.text.length : found;
    this.#next.set(needle, { from, at });
    return at;
  }
}

/** A set of UTF-16 units. */
export class CharSet {
  readonly #low: Uint8Array;
  readonly #others: boolean;

  /**
   * @param pattern a regular expression class, for example `[a-z0-9]`
   * @param others whether it includes units above 127
   */
  constructor(pattern: RegExp, others = false) {
    this.#low = Uint8Array.from({ length: 128 }, (_, code) =>
      pattern.test(String.fromCharCode(code)) ? 1 : 0,
    );
    this.#others = others;
  }

  has(code: number): boolean {
    return code < 128 ? this.#low[code] === 1 : this.#others && code !== OPENS_MASK && code !== CLOSES_MASK;
  }
}

/** Masks are opaque: no run continues into one. */
const OPENS_MASK = '‹'.charCodeAt(0);
const CLOSES_MASK = '›'.charCodeAt(0);

/** Letters, digits and the connectors of most tokens. */
export const WORD = new CharSet(/[A-Za-z0-9_-]/);
/** Base64 in both alphabets. */
export const BASE64 = new CharSet(/[A-Za-z0-9+/=_-]/);
/** Letters and digits only. */
export const ALNUM = new CharSet(/[A-Za-z0-9]/);

/**
 * Whether a match may begin at `at`: not inside a word and not right after a mask, but right after an escape such as `
 * `, although that ends in a letter.
 */
export function beginsAt(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before === CLOSES_MASK) return false;
  if (!ALNUM.has(before) && before !== 0x5f) return true;
  return /[nrtbf]/.test(text.charAt(at - 1)) && text.charAt(at - 2) === '\\';
}
