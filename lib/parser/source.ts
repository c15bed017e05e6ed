import { type JsonReaderOptions, type JsonReading, readJson } from './json-reader.ts';

interface Failure {
  reason: 'malformed' | 'cut' | 'too-deep';
  at: number;
}

/** Failures kept before those that lie behind the reader are forgotten. */
const MAX_REMEMBERED = 4096;

/**
 * One text under reading, with what keeps the work on it in proportion to its length: a memory of what is not there,
 * and an allowance for attempts that come to nothing.
 */
export class Source {
  readonly text: string;
  readonly #found = new Map<string, { from: number; at: number; end: number }>();
  readonly #hopeless = new Map<number, Failure>();
  #allowance: number;

  constructor(text: string) {
    this.text = text;
    // Ordinary replies fail in a few places for a few characters. Ten times the text is plenty and still linear.
    this.#allowance = 10 * text.length + 10_000;
  }

  /** True when hostile text has used up the allowance. Nothing more is read from it then. */
  get exhausted(): boolean {
    return this.#allowance <= 0;
  }

  /** Accounts for characters that were read in vain. */
  spend(chars: number): void {
    this.#allowance -= chars;
  }

  /**
   * The first match of a global pattern at or behind `from`. Asking again from further on costs nothing until the
   * remembered match is passed, so walking through the text with one pattern takes one pass in all.
   */
  find(pattern: RegExp, from: number): { at: number; end: number } | undefined {
    const key = pattern.source;
    const known = this.#found.get(key);
    if (known && known.from <= from && (known.at === -1 || known.at >= from)) {
      return known.at === -1 ? undefined : known;
    }
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    const found = match
      ? { from, at: match.index, end: match.index + match[0].length }
      : { from, at: -1, end: -1 };
    this.#found.set(key, found);
    return match ? found : undefined;
  }

  /** Offset of a literal between two offsets. Looking in vain, or far, costs allowance. */
  indexOf(needle: string, from: number, to: number): number | undefined {
    if (this.exhausted) return undefined;
    const at = this.text.indexOf(needle, from);
    const found = at !== -1 && at < to;
    if (!found) this.spend((at === -1 ? this.text.length : at) - from);
    return found ? at : undefined;
  }

  /**
   * Reads a JSON value and remembers where that is hopeless: when a value fails, so does each value inside it that is
   * still open there. Without this `{"a":{"a":{"a":…` takes quadratic time.
   */
  readJson(at: number, options?: JsonReaderOptions): JsonReading {
    const known = this.#hopeless.get(at);
    if (known) return { ok: false, ...known, open: [] };
    if (this.exhausted) return { ok: false, reason: 'malformed', at, open: [] };
    const reading = readJson(this.text, at, options);
    if (!reading.ok) {
      this.spend(reading.at - at + 1);
      this.#remember(reading);
    }
    return reading;
  }

  #remember({ open, reason, at }: Failure & { open: number[] }): void {
    const [start = at, ...inner] = open;
    if (this.#hopeless.size > MAX_REMEMBERED) {
      for (const key of this.#hopeless.keys()) if (key < start) this.#hopeless.delete(key);
    }
    for (const offset of inner) this.#hopeless.set(offset, { reason, at });
  }

  /** Reads again what a stricter reading gave up. The result, good or bad, costs allowance. */
  readJsonAgain(at: number, options: JsonReaderOptions): JsonReading {
    const reading = readJson(this.text, at, options);
    this.spend((reading.ok ? reading.end : reading.at) - at + 1);
    return reading;
  }
}

/** MiniMax M3 writes this before each of its tags. It separates, as white space does. */
export const MINIMAX_PREFIX = ']<]minimax[>[';

/** Offset of the first character at or behind `at` that is neither white space nor MiniMax's separator. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  for (;;) {
    while (isSpace(text.charCodeAt(next))) next++;
    if (text[next] !== ']' || !text.startsWith(MINIMAX_PREFIX, next)) return next;
    next += MINIMAX_PREFIX.length;
  }
}

function isSpace(code: number): boolean {
  return (code >= 0x09 && code <= 0x0d) || code === 0x20 || code === 0xa0 || code === 0xfeff;
}
