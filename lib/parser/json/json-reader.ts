import type { JsonObject, JsonValue } from '../../util/json.ts';
import { MAX_DEPTH } from '../limits.ts';
import { JsonCursor, type JsonReaderOptions, Stop, type StopReason, type TextRepair } from './json-cursor.ts';
import { readKey, readScalar } from './json-scalar.ts';

export type JsonReading =
  | {
      ok: true;
      value: JsonValue;
      /** Offset behind the value. */
      end: number;
      /** False when closing brackets were missing at the end. All values are whole nevertheless. */
      closed: boolean;
      repairs: TextRepair[];
      /** A key that could reach a prototype. It is left out of the value. */
      unsafeKey?: string;
    }
  | {
      ok: false;
      reason: StopReason;
      /** Where reading stopped. */
      at: number;
      /** Offsets of the containers that were open there; each of them fails at the same place. */
      open: number[];
      /** The outermost container as far as it was read. */
      partial?: JsonValue;
    };

/** Keys that JavaScript code downstream could take for something else than data. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads the one JSON value that starts at `start`, in one pass from left to right.
 *
 * Reads what models write instead of JSON too, and lists each such place in `repairs`. A value that the end of the
 * text cuts inside a string, a key or a scalar is never completed (`reason: 'cut'`); when only closing brackets are
 * missing it is (`closed: false`). Takes time in proportion to the characters read, and never throws.
 */
export function readJson(text: string, start: number, options: JsonReaderOptions = {}): JsonReading {
  return new Reader(new JsonCursor(text, start, options)).read();
}

interface Frame {
  start: number;
  /** The closing bracket it waits for. */
  closer: string;
  array?: JsonValue[];
  object?: JsonObject;
  key: string;
}

/** Builds the containers. They are kept on a stack of our own, so that nesting costs no recursion. */
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
      const open = this.#stack.map((frame) => frame.start);
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

  /** Behind a whole value: closers, and then a comma or the end of everything. */
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

/** Whether the next member begins here although no comma stands before it. */
function startsMember(frame: Frame, char: string): boolean {
  if (char === '"') return true;
  return frame.closer === ']' && (char === '{' || char === '[');
}
