import type { JsonReaderOptions } from './json/json-cursor.ts';
import { type JsonReading, readJson } from './json/json-reader.ts';

type JsonFailure = JsonReading & { ok: false };

/** Failures kept. Values are read from left to right, so older ones lie behind the reader. */
const MAX_REMEMBERED = 4;

/**
 * One text under reading, with what keeps the work on it in proportion to its length: a memory of what is not there,
 * and an allowance for attempts that come to nothing.
 */
export class Source {
  readonly text: string;
  readonly #found = new Map<string, { from: number; at: number; end: number }>();
  /** The latest failures, newest first. */
  readonly #failures: JsonFailure[] = [];
  readonly #claims = new Map<string, number>();
  /** Literals that do not occur any more from an offset on. */
  readonly #absentFrom = new Map<string, number>();
  #allowance: number;
  #spent = 0;

  constructor(text: string) {
    this.text = text;
    // Ordinary replies fail in a few places for a few characters. Ten times the text is plenty and still linear.
    this.#allowance = 10 * text.length + 10_000;
  }

  /** True when hostile text has used up the allowance. Nothing more is read from it then. */
  get exhausted(): boolean {
    return this.#allowance <= 0;
  }

  /** Characters read in vain so far. Grows with the text and not faster. */
  get spent(): number {
    return this.#spent;
  }

  /** Accounts for characters that were read in vain. */
  spend(chars: number): void {
    this.#spent += chars;
    this.#allowance -= chars;
  }

  /** Whether something costly may be done once more, out of `limit` times for one text. */
  claim(what: string, limit: number): boolean {
    const claims = (this.#claims.get(what) ?? 0) + 1;
    this.#claims.set(what, claims);
    return claims <= limit;
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
    if (this.exhausted || from >= (this.#absentFrom.get(needle) ?? Number.POSITIVE_INFINITY))
      return undefined;
    const at = this.text.indexOf(needle, from);
    if (at === -1) this.#absentFrom.set(needle, from);
    const found = at !== -1 && at < to;
    if (!found) this.spend((at === -1 ? this.text.length : at) - from);
    return found ? at : undefined;
  }

  /**
   * Reads a JSON value and remembers where that is hopeless: when a value fails, so does each value inside it that is
   * still open there. Without this `{"a":{"a":{"a":…` takes quadratic time.
   */
  readJson(at: number, options?: JsonReaderOptions): JsonReading {
    const known = this.#failures.find((failure) => includes(failure.open, at));
    if (known) return { ...known, open: [], partial: undefined };
    if (this.exhausted) return { ok: false, reason: 'malformed', at, open: [] };
    const reading = readJson(this.text, at, options);
    if (!reading.ok) {
      this.spend(reading.at - at + 1);
      this.#remember(reading);
    }
    return reading;
  }

  #remember(failure: JsonFailure): void {
    if (failure.open.length < 2) return;
    this.#failures.unshift(failure);
    if (this.#failures.length > MAX_REMEMBERED) this.#failures.pop();
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

/** Binary search in ascending offsets. */
function includes(offsets: readonly number[], wanted: number): boolean {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((offsets[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return offsets[low] === wanted;
}
