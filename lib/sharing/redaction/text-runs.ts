/**
 * Ends of runs of characters in one text. Scanners that look from many places ask for the end of the same run again and
 * again; each run is walked once, so that a scan stays linear on any text.
 */
export class TextRuns {
  readonly text: string;
  readonly #ends = new Map<CharSet, { from: number; end: number }>();
  readonly #next = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** Where the run of characters of `set` ends that `from` stands in. Asked with rising `from` per set. */
  endOf(set: CharSet, from: number): number {
    const known = this.#ends.get(set);
    if (known && from >= known.from && from < known.end) return known.end;
    let end = from;
    while (end < this.text.length && set.has(this.text.charCodeAt(end))) end += 1;
    this.#ends.set(set, { from, end });
    return end;
  }

  /** The next place of `needle` at or after `from`, else the text's length. Asked with rising `from` per needle. */
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
   * @param pattern one regular-expression class, for example `[a-z0-9]`
   * @param others whether units above 127 belong to it
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

/** A mask is opaque: no run goes on into it. */
const OPENS_MASK = '‹'.charCodeAt(0);
const CLOSES_MASK = '›'.charCodeAt(0);

/** Letters, digits and what joins them in most tokens. */
export const WORD = new CharSet(/[A-Za-z0-9_-]/);
/** Base64 in both alphabets. */
export const BASE64 = new CharSet(/[A-Za-z0-9+/=_-]/);
/** Numbers and letters only. */
export const ALNUM = new CharSet(/[A-Za-z0-9]/);

/**
 * Whether something may begin at `at`: not inside a word and not right after a mask. After a written escape (`\n`) it
 * may, though a letter stands there.
 */
export function beginsAt(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before === CLOSES_MASK) return false;
  if (!ALNUM.has(before) && before !== 0x5f) return true;
  return /[nrtbf]/.test(text.charAt(at - 1)) && text.charAt(at - 2) === '\\';
}

/** A text as a regular expression that takes it alone. */
export function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
