import type { JsonReaderOptions, JsonReading, OpenContainer } from './json/json-cursor.ts';
import { readJson } from './json/json-reader.ts';
import type { SourceText } from './reading.ts';
import { readTag, type Tag } from './tags.ts';

type JsonFailure = JsonReading & { ok: false };

/** Failures kept. Values are read from left to right, so older failures are no longer needed. */
const MAX_REMEMBERED = 4;

const TAG_SLOTS = 16;

/**
 * The text being read. Keeps the work proportional to the length of the text: it remembers what it did not find, and
 * limits wasted reading with an allowance.
 */
export class Source implements SourceText {
  readonly text: string;
  readonly #found = new Map<string, { from: number; at: number; end: number }>();
  /** The latest failures, newest first. */
  readonly #failures: JsonFailure[] = [];
  readonly #claims = new Map<string, number>();
  /** The offset from which a literal no longer occurs. */
  readonly #absentFrom = new Map<string, number>();
  /** A small cache of tags by offset, since several formats read the tag at the same opener. */
  readonly #tagOffsets: number[] = new Array(TAG_SLOTS).fill(-1);
  readonly #tags: (Tag | undefined)[] = new Array(TAG_SLOTS).fill(undefined);
  #allowance: number;
  #spent = 0;
  #work = 0;

  constructor(text: string) {
    this.text = text;
    // Ordinary replies waste a few characters in a few places. Ten times the text is plenty and still linear.
    this.#allowance = 10 * text.length + 10_000;
  }

  /** True when a hostile text has used up the allowance. No more calls are read from it then. */
  get exhausted(): boolean {
    return this.#allowance <= 0;
  }

  /** Characters read in vain so far. Grows no faster than the text. */
  get spent(): number {
    return this.#spent;
  }

  /**
   * Steps taken so far: one for each format tried and one for each character read or searched. Unlike time, they are the
   * same on every machine.
   */
  get work(): number {
    return this.#work;
  }

  /** Counts steps taken elsewhere. */
  step(steps = 1): void {
    this.#work += steps;
  }

  /** The tag at an offset, if there is one. */
  tagAt(at: number): Tag | undefined {
    const slot = at % TAG_SLOTS;
    if (this.#tagOffsets[slot] === at) return this.#tags[slot];
    const tag = readTag(this.text, at);
    this.#work += tag ? tag.end - at : 1;
    this.#tagOffsets[slot] = at;
    this.#tags[slot] = tag;
    return tag;
  }

  /** Deducts characters read in vain from the allowance. */
  spend(chars: number): void {
    this.#spent += chars;
    this.#allowance -= chars;
  }

  /** Whether an expensive operation may run again, at most `limit` times per text. */
  claim(what: string, limit: number): boolean {
    const claims = (this.#claims.get(what) ?? 0) + 1;
    this.#claims.set(what, claims);
    return claims <= limit;
  }

  /**
   * The first match of a global pattern from `from` on. Asking again from a later offset costs nothing until the
   * remembered match is passed, so walking through the text with one pattern takes a single pass.
   */
  find(pattern: RegExp, from: number): { at: number; end: number } | undefined {
    const key = pattern.source;
    const known = this.#found.get(key);
    if (known && known.from <= from && (known.at === -1 || known.at >= from)) {
      return known.at === -1 ? undefined : known;
    }
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    this.#work += (match?.index ?? this.text.length) - from;
    const found = match
      ? { from, at: match.index, end: match.index + match[0].length }
      : { from, at: -1, end: -1 };
    this.#found.set(key, found);
    return match ? found : undefined;
  }

  /** Offset of a literal between two offsets. An unsuccessful search costs allowance. */
  indexOf(needle: string, from: number, to: number): number | undefined {
    if (this.exhausted || from >= (this.#absentFrom.get(needle) ?? Number.POSITIVE_INFINITY))
      return undefined;
    const at = this.text.indexOf(needle, from);
    if (at === -1) this.#absentFrom.set(needle, from);
    const found = at !== -1 && at < to;
    const searched = (at === -1 ? this.text.length : at) - from;
    this.#work += searched;
    if (!found) this.spend(searched);
    return found ? at : undefined;
  }

  /**
   * Reads a JSON value and remembers failures: when a value fails, so does each value inside it that is still open.
   * Without this, `{"a":{"a":{"a":…` takes quadratic time.
   */
  readJson(at: number, options?: JsonReaderOptions): JsonReading {
    for (const failure of this.#failures) {
      const container = containerAt(failure.open, at);
      if (container) return { ...failure, open: [], partial: container.value };
    }
    if (this.exhausted) return { ok: false, reason: 'malformed', at, open: [] };
    const reading = readJson(this.text, at, options);
    this.#work += (reading.ok ? reading.end : reading.at) - at;
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

  /** Rereads a value with other options. Costs allowance even when it succeeds. */
  readJsonAgain(at: number, options: JsonReaderOptions): JsonReading {
    const reading = readJson(this.text, at, options);
    const read = (reading.ok ? reading.end : reading.at) - at + 1;
    this.#work += read;
    this.spend(read);
    return reading;
  }
}

/** Binary search, since hostile text can open containers by the thousand. */
function containerAt(open: readonly OpenContainer[], wanted: number): OpenContainer | undefined {
  let low = 0;
  let high = open.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((open[middle]?.start ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return open[low]?.start === wanted ? open[low] : undefined;
}
