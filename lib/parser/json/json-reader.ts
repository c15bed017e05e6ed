import type { JsonObject, JsonValue } from '../../util/json.ts';
import { MAX_DEPTH } from '../limits.ts';
import {
  isKeyAhead,
  JsonCursor,
  type JsonReaderOptions,
  type JsonReading,
  readText,
  Stop,
  startsText,
  type TextPlace,
} from './json-cursor.ts';

/** Keys that could reach a prototype in JavaScript code downstream. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads the one JSON value that starts at `start`, in one pass from left to right.
 *
 * Accepts what models write instead of strict JSON and lists each deviation in `repairs`. A value whose text ends inside
 * a string, key or scalar is never completed (`reason: 'cut'`); one that only lacks closing brackets is
 * (`closed: false`). Takes time proportional to the characters read, and never throws.
 */
export function readJson(text: string, start: number, options: JsonReaderOptions = {}): JsonReading {
  return new Reader(new JsonCursor(text, start, options)).read();
}

interface Frame {
  start: number;
  /** The expected closing bracket. */
  closer: string;
  array?: JsonValue[];
  object?: JsonObject;
  key: string;
}

/** Builds the containers on an explicit stack, so that nesting needs no recursion. */
class Reader {
  readonly #cursor: JsonCursor;
  readonly #stack: Frame[] = [];
  readonly #closers = () => this.#stack.map((frame) => frame.closer);
  #root: JsonValue | undefined;
  #closed = true;
  #unsafeKey: string | undefined;

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor;
  }

  read(): JsonReading {
    try {
      this.#value();
      for (let frame = this.#innermost; frame !== undefined; frame = this.#innermost) this.#member(frame);
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
      const open = this.#stack.map(({ start, object, array }) => ({ start, value: object ?? array ?? null }));
      return { ok: false, reason: stop.reason, at: stop.at, open, partial: this.#root };
    }
    return {
      ok: true,
      value: this.#root ?? null,
      end: this.#cursor.at,
      closed: this.#closed,
      repairs: this.#cursor.repairs,
      unsafeKey: this.#unsafeKey,
    };
  }

  get #innermost(): Frame | undefined {
    return this.#stack[this.#stack.length - 1];
  }

  /** Reads one member of a container, or its end. */
  #member(frame: Frame): void {
    const cursor = this.#cursor;
    cursor.skipSpace();
    if (cursor.char === frame.closer) {
      cursor.at++;
      this.#stack.pop();
      this.#afterValue();
      return;
    }
    if (cursor.atEnd) throw new Stop('cut', cursor.at);
    if (frame.object) this.#key(frame);
    this.#value();
  }

  #key(frame: Frame): void {
    const cursor = this.#cursor;
    frame.key = readKey(cursor, this.#closers);
    // Also known when its value is cut off.
    this.#add(null);
    cursor.skipSpace();
    if (cursor.atEnd) throw new Stop('cut', cursor.at);
    if (cursor.char !== ':') throw new Stop('malformed', cursor.at);
    cursor.at++;
    cursor.skipSpace();
  }

  /** Reads a scalar, or opens a container and leaves its members to `#member`. */
  #value(): void {
    const { char, at: start, dialect } = this.#cursor;
    if (char === undefined) throw new Stop('cut', start);
    if (char === '{') this.#open({ start, closer: '}', object: {}, key: '' });
    else if (char === '[') this.#open({ start, closer: ']', array: [], key: '' });
    else if (char === '(' && dialect.python) this.#open({ start, closer: ')', array: [], key: '' });
    else {
      const frame = this.#innermost;
      const role = frame === undefined ? 'whole' : frame.object ? 'value' : 'item';
      this.#add(readScalar(this.#cursor, { role, closers: this.#closers }));
      this.#afterValue();
    }
  }

  #open(frame: Frame): void {
    if (this.#stack.length >= MAX_DEPTH) throw new Stop('too-deep', frame.start);
    this.#add(frame.object ?? frame.array ?? null);
    this.#stack.push(frame);
    this.#cursor.at++;
  }

  #add(value: JsonValue): void {
    const frame = this.#innermost;
    if (frame === undefined) this.#root = value;
    else if (frame.array) frame.array.push(value);
    else if (frame.object) {
      if (UNSAFE_KEYS.has(frame.key)) this.#unsafeKey = frame.key;
      else frame.object[frame.key] = value;
    }
  }

  /** After a complete value: closing brackets, then a comma or the end. */
  #afterValue(): void {
    const cursor = this.#cursor;
    for (let frame = this.#innermost; frame !== undefined; frame = this.#innermost) {
      cursor.skipSpace();
      const { char } = cursor;
      if (char === frame.closer) {
        cursor.at++;
        this.#stack.pop();
      } else if (char === undefined || cursor.isMarker(cursor.at)) {
        this.#closeAll();
      } else if (char === ',') {
        this.#comma(frame);
        return;
      } else if (startsMember(frame, char)) {
        cursor.repair('missing-comma', char, `,${char}`);
        return;
      } else if (this.#stack.some((outer) => outer.closer === char)) {
        cursor.repair('missing-closer', char, frame.closer + char);
        this.#stack.pop();
      } else throw new Stop('malformed', cursor.at);
    }
  }

  #comma(frame: Frame): void {
    const cursor = this.#cursor;
    const comma = cursor.at;
    cursor.at++;
    cursor.skipSpace();
    while (frame.object && cursor.char === ',') {
      cursor.at++;
      cursor.skipSpace();
      cursor.repair('trailing-comma', ',,', ',');
    }
    if (cursor.char === frame.closer) {
      cursor.repair('trailing-comma', cursor.text.slice(comma, cursor.at + 1), frame.closer);
    }
  }

  #closeAll(): void {
    this.#cursor.repair('missing-closer', '', this.#closers().reverse().join(''));
    this.#stack.length = 0;
    this.#closed = false;
  }
}

/** Whether the next member starts here without a comma before it. */
function startsMember(frame: Frame, char: string): boolean {
  if (char === '"') return true;
  return frame.closer === ']' && (char === '{' || char === '[');
}

const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRICT_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const CUT_EXPONENT = /^[eE][+-]?$/;
const LEADING_ZERO = /^[+-]?0\d/;
const WORD = /[\p{L}_$][\p{L}\p{N}_$.-]*/uy;
const BARE_VALUE = /[^,{}[\]<>"\n]+/y;
const STRING_PREFIX = /^(?:[rbuf]|[rR][bB]|[bB][rR]|[RBUF])$/;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const PYTHON_WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** Reads the key at the cursor, quoted or not. */
function readKey(cursor: JsonCursor, closers: TextPlace['closers']): string {
  if (startsText(cursor)) return readText(cursor, { role: 'key', closers });
  const word = cursor.matchAt(WORD, cursor.at);
  if (word === undefined) throw new Stop('malformed', cursor.at);
  cursor.at += word.length;
  if (cursor.atEnd) throw new Stop('cut', cursor.at);
  cursor.repair('bare-key', word, `"${word}"`);
  return word;
}

/** Reads the string, number or word at the cursor. */
function readScalar(cursor: JsonCursor, place: TextPlace): JsonValue {
  if (startsText(cursor)) return readText(cursor, place);
  const isEmpty = place.role === 'value' && (cursor.char === ',' || cursor.char === '}');
  if (isEmpty && cursor.dialect.native.has('bare-value')) return '';
  const number = cursor.matchAt(NUMBER, cursor.at);
  if (number !== undefined) return readNumber(cursor, number, place);
  const word = cursor.matchAt(WORD, cursor.at);
  if (word !== undefined) return readWord(cursor, word, place);
  const isSign = '+-.'.includes(cursor.char ?? ' ') && cursor.at === cursor.text.length - 1;
  throw new Stop(isSign ? 'cut' : 'malformed', cursor.at);
}

function readNumber(cursor: JsonCursor, written: string, place: TextPlace): JsonValue {
  const { text } = cursor;
  const end = cursor.at + written.length;
  // More digits may be missing.
  if (end >= text.length && place.role !== 'whole') throw new Stop('cut', end);
  if (CUT_EXPONENT.test(text.slice(end, end + 3))) throw new Stop('cut', text.length);
  if (text[end] === ':' || cursor.matchAt(WORD, end) !== undefined) {
    if (cursor.dialect.native.has('bare-value')) return readBareValue(cursor, place);
    throw new Stop('malformed', end);
  }
  cursor.at = end;
  const value = Number(written);
  if (STRICT_NUMBER.test(written) && Number.isFinite(value)) return value;
  // No JSON number equals 007 or 1e999.
  const asText = LEADING_ZERO.test(written) || !Number.isFinite(value);
  cursor.repair('number-as-text', written, asText ? `"${written}"` : String(value));
  return asText ? written : value;
}

function readWord(cursor: JsonCursor, word: string, place: TextPlace): JsonValue {
  const known = WORDS.get(word);
  const end = cursor.at + word.length;
  if (known !== undefined) {
    cursor.at = end;
    return known;
  }
  const pythonic = PYTHON_WORDS.get(word);
  if (pythonic !== undefined) {
    cursor.at = end;
    cursor.repair('python-literal', word, String(pythonic));
    return pythonic;
  }
  const quote = cursor.text[end];
  if (cursor.dialect.python && STRING_PREFIX.test(word) && (quote === '"' || quote === "'")) {
    cursor.at = end;
    return readText(cursor, { ...place, raw: /r/i.test(word) });
  }
  if (cursor.dialect.native.has('bare-value')) return readBareValue(cursor, place);
  if (end >= cursor.text.length) throw new Stop('cut', end);
  throw new Stop('malformed', cursor.at);
}

/** Reads an unquoted string up to its end. */
function readBareValue(cursor: JsonCursor, { role }: TextPlace): string {
  const start = cursor.at;
  for (;;) {
    cursor.at += cursor.matchAt(BARE_VALUE, cursor.at)?.length ?? 0;
    if (cursor.atEnd) throw new Stop('cut', cursor.at);
    // A comma belongs to the string unless a key follows it: `{city:Paris, France,days:2}`.
    const isText = cursor.char === ',' && role === 'value' && !isKeyAhead(cursor, cursor.at + 1);
    if (!isText) return cursor.text.slice(start, cursor.at).trim();
    cursor.at++;
  }
}
