import type { JsonObject, JsonValue } from '../util/json.ts';
import { excerpt, MAX_DEPTH, MAX_REPAIRS } from './limits.ts';

/** What had to be overlooked to read a value that is not strict JSON. */
export type RepairRule =
  | 'trailing-comma'
  | 'missing-comma'
  | 'single-quotes'
  | 'smart-quotes'
  | 'triple-quotes'
  | 'python-literal'
  | 'bare-key'
  | 'bare-value'
  | 'comment'
  | 'raw-control-character'
  | 'bad-escape'
  | 'unescaped-quote'
  | 'missing-closer'
  | 'number-as-text';

export interface TextRepair {
  rule: string;
  before: string;
  after: string;
}

/** How a family of formats writes values. What is `native` to it is no repair. */
export interface Dialect {
  native: ReadonlySet<RepairRule>;
  /** Encloses text without any escapes, as `<escape>` does. */
  delimiter?: string;
  /** `(1, 2)` is a list and `r'…'` a string. */
  python?: boolean;
}

export const JSON_DIALECT: Dialect = { native: new Set() };

export interface JsonReaderOptions {
  dialect?: Dialect;
  /** A quote that no separator follows is part of the text. Only sensible behind an explicit marker. */
  looseQuotes?: boolean;
  /** A control tag or fence where a comma or closer belongs ends the value, its closers counting as missing. */
  closeAtMarker?: boolean;
  /** Offset at which the text counts as ended. */
  limit?: number;
}

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
      reason: 'malformed' | 'cut' | 'too-deep';
      /** Where reading stopped. */
      at: number;
      /** Offsets of the containers that were open there; each of them fails at the same place. */
      open: number[];
      /** The outermost container as far as it was read. */
      partial?: JsonValue;
    };

/** Keys that JavaScript code downstream could take for something else than data. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

interface Frame {
  start: number;
  /** The closing bracket it waits for. */
  closer: string;
  array?: JsonValue[];
  object?: JsonObject;
  key: string;
}

const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const CUT_EXPONENT = /^[eE][+-]?$/;
const STRICT_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORD = /[\p{L}_$][\p{L}\p{N}_$.-]*/uy;
const BARE_VALUE = /[^,{}[\]<>"\n]+/y;
const KEY_AHEAD = /\s*(?:["'“][^"'”\n]{0,100}["'”]|[A-Za-z_$][\w$-]{0,100})\s*:/y;
const MARKER = /<|```|\[\/|\[TOOL/y;
const STRING_PREFIX = /^(?:[rbuf]|[rR][bB]|[bB][rR]|[RBUF])$/;

const WORDS: ReadonlyMap<string, { value: JsonValue; python: boolean }> = new Map([
  ['true', { value: true, python: false }],
  ['false', { value: false, python: false }],
  ['null', { value: null, python: false }],
  ['True', { value: true, python: true }],
  ['False', { value: false, python: true }],
  ['None', { value: null, python: true }],
]);

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Characters that other languages escape although JSON does not. Before any other one a backslash is text. */
const NEEDLESS_ESCAPES = new Set(["'", '$', '`', ' ', '\n']);

/** Thrown and caught inside this file only: reading stopped here. */
class Stop {
  reason: 'malformed' | 'cut' | 'too-deep';
  at: number;

  constructor(reason: 'malformed' | 'cut' | 'too-deep', at: number) {
    this.reason = reason;
    this.at = at;
  }
}

/**
 * Reads the one JSON value that starts at `start`, in one pass from left to right.
 *
 * Reads what models write instead of JSON too, and lists each such place in `repairs`. A value that the end of the
 * text cuts inside a string, a key or a scalar is never completed (`reason: 'cut'`); when only closing brackets are
 * missing it is (`closed: false`). Takes time in proportion to the characters read, and never throws.
 */
export function readJson(text: string, start: number, options: JsonReaderOptions = {}): JsonReading {
  return new Reader(text, start, options).read();
}

class Reader {
  readonly #text: string;
  readonly #dialect: Dialect;
  readonly #options: JsonReaderOptions;
  readonly #stack: Frame[] = [];
  readonly #repairs: TextRepair[] = [];
  #at: number;
  #root: JsonValue | undefined;
  #closed = true;
  #unsafeKey: string | undefined;

  constructor(text: string, start: number, options: JsonReaderOptions) {
    this.#text = options.limit === undefined ? text : text.slice(0, options.limit);
    this.#at = start;
    this.#options = options;
    this.#dialect = options.dialect ?? JSON_DIALECT;
  }

  read(): JsonReading {
    try {
      this.#value();
      while (this.#stack.length > 0) this.#step();
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
      const open = this.#stack.map((frame) => frame.start);
      return { ok: false, reason: stop.reason, at: stop.at, open, partial: this.#root };
    }
    return {
      ok: true,
      value: this.#root ?? null,
      end: this.#at,
      closed: this.#closed,
      repairs: this.#repairs,
      unsafeKey: this.#unsafeKey,
    };
  }

  /** Reads one member of the innermost container, or its end. */
  #step(): void {
    const frame = this.#innermost;
    if (frame === undefined) return;
    this.#space();
    if (this.#text[this.#at] === frame.closer) {
      this.#at++;
      this.#stack.pop();
      this.#afterValue();
      return;
    }
    if (this.#at >= this.#text.length) throw new Stop('cut', this.#at);
    if (frame.object) {
      frame.key = this.#key();
      this.#space();
      if (this.#at >= this.#text.length) throw new Stop('cut', this.#at);
      if (this.#text[this.#at] !== ':') throw new Stop('malformed', this.#at);
      this.#at++;
      this.#space();
    }
    this.#value();
  }

  /** Reads a scalar, or opens a container and leaves its members to `#step`. */
  #value(): void {
    const char = this.#text[this.#at];
    if (char === undefined) throw new Stop('cut', this.#at);
    const start = this.#at;
    if (char === '{') this.#open({ start, closer: '}', object: {}, key: '' });
    else if (char === '[') this.#open({ start, closer: ']', array: [], key: '' });
    else if (char === '(' && this.#dialect.python) this.#open({ start, closer: ')', array: [], key: '' });
    else {
      this.#add(this.#scalar(char));
      this.#afterValue();
    }
  }

  #open(frame: Frame): void {
    if (this.#stack.length >= MAX_DEPTH) throw new Stop('too-deep', this.#at);
    this.#add(frame.object ?? frame.array ?? null);
    this.#stack.push(frame);
    this.#at++;
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
    for (let frame = this.#innermost; frame !== undefined; frame = this.#innermost) {
      this.#space();
      const char = this.#text[this.#at];
      if (char === frame.closer) {
        this.#at++;
        this.#stack.pop();
      } else if (this.#stack.some((outer) => outer.closer === char)) {
        this.#repair('missing-closer', char ?? '', `${frame.closer}${char}`);
        this.#stack.pop();
      } else if (
        char === undefined ||
        (this.#options.closeAtMarker && matches(MARKER, this.#text, this.#at))
      ) {
        this.#closeAll();
      } else if (char === ',') {
        this.#comma(frame);
        return;
      } else if (startsMember(frame, char)) {
        this.#repair('missing-comma', char, `,${char}`);
        return;
      } else throw new Stop('malformed', this.#at);
    }
  }

  get #innermost(): Frame | undefined {
    return this.#stack[this.#stack.length - 1];
  }

  #comma(frame: Frame): void {
    const comma = this.#at;
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === frame.closer) {
      this.#repair('trailing-comma', this.#text.slice(comma, this.#at + 1), frame.closer);
    }
  }

  #closeAll(): void {
    const missing = this.#stack.map((frame) => frame.closer).reverse();
    this.#repair('missing-closer', '', missing.join(''));
    this.#stack.length = 0;
    this.#closed = false;
  }

  #key(): string {
    const char = this.#text[this.#at] ?? '';
    if (this.#startsText(char)) return this.#string(char, ':');
    const word = match(WORD, this.#text, this.#at);
    if (word === undefined) throw new Stop('malformed', this.#at);
    this.#at += word.length;
    if (this.#at >= this.#text.length) throw new Stop('cut', this.#at);
    this.#repair('bare-key', word, `"${word}"`);
    return word;
  }

  #scalar(char: string): JsonValue {
    if (this.#startsText(char)) return this.#string(char, ',');
    const number = match(NUMBER, this.#text, this.#at);
    if (number !== undefined) return this.#number(number);
    const word = match(WORD, this.#text, this.#at);
    if (word !== undefined) return this.#word(word);
    const isSign = (char === '-' || char === '+' || char === '.') && this.#at === this.#text.length - 1;
    throw new Stop(isSign ? 'cut' : 'malformed', this.#at);
  }

  #number(number: string): JsonValue {
    const start = this.#at;
    const end = start + number.length;
    if (end >= this.#text.length && this.#stack.length > 0) throw new Stop('cut', end);
    const next = this.#text[end] ?? '';
    if (CUT_EXPONENT.test(this.#text.slice(end, end + 3))) throw new Stop('cut', this.#text.length);
    if (next === ':' || matches(WORD, this.#text, end)) {
      if (this.#dialect.native.has('bare-value')) return this.#bareValue();
      throw new Stop('malformed', end);
    }
    this.#at = end;
    const value = Number(number);
    if (STRICT_NUMBER.test(number) && Number.isFinite(value)) return value;
    if (Number.isFinite(value) && !/^[+-]?0\d/.test(number)) {
      this.#repair('number-as-text', number, String(value));
      return value;
    }
    // 007 and 1e999 have no JSON number that means the same.
    this.#repair('number-as-text', number, `"${number}"`);
    return number;
  }

  #word(word: string): JsonValue {
    const known = WORDS.get(word);
    const end = this.#at + word.length;
    if (known) {
      this.#at = end;
      if (known.python) this.#repair('python-literal', word, String(known.value));
      return known.value;
    }
    const quote = this.#text[end] ?? '';
    if (this.#dialect.python && STRING_PREFIX.test(word) && (quote === '"' || quote === "'")) {
      this.#at = end;
      return this.#string(quote, ',', /r/i.test(word));
    }
    if (this.#dialect.native.has('bare-value')) return this.#bareValue();
    if (end >= this.#text.length) throw new Stop('cut', end);
    throw new Stop('malformed', this.#at);
  }

  #bareValue(): string {
    const start = this.#at;
    for (;;) {
      this.#at += match(BARE_VALUE, this.#text, this.#at)?.length ?? 0;
      if (this.#at >= this.#text.length) throw new Stop('cut', this.#at);
      // A comma belongs to the text unless the next key follows it: `{city:Paris, France,days:2}`.
      const isText =
        this.#text[this.#at] === ',' &&
        this.#innermost?.object &&
        !matches(KEY_AHEAD, this.#text, this.#at + 1);
      if (!isText) return this.#text.slice(start, this.#at).trim();
      this.#at++;
    }
  }

  #startsText(char: string): boolean {
    if (char === '"' || char === "'" || char === '“' || char === '”') return true;
    const { delimiter } = this.#dialect;
    return delimiter !== undefined && char === delimiter[0] && this.#text.startsWith(delimiter, this.#at);
  }

  /** Reads the text that starts with the quote at the current offset. `role` is what follows it: `:` or `,`. */
  #string(quote: string, role: ':' | ',', raw = false): string {
    const { delimiter } = this.#dialect;
    if (delimiter !== undefined && quote === delimiter[0]) return this.#delimited(delimiter);
    const start = this.#at;
    const tripled = quote.repeat(3);
    if ((quote === '"' || quote === "'") && this.#text.startsWith(tripled, start))
      return this.#tripled(tripled);
    if (quote === "'") this.#repair('single-quotes', "'", '"');
    if (quote === '“' || quote === '”') this.#repair('smart-quotes', quote, '"');
    return this.#quoted(quote, role, raw);
  }

  #quoted(quote: string, role: ':' | ',', raw: boolean): string {
    const text = this.#text;
    const smart = quote === '“' || quote === '”';
    let result = '';
    let from = this.#at + 1;
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x5c && !raw) {
        const escaped = this.#escape(at, quote);
        result += text.slice(from, at) + escaped.text;
        from = escaped.end;
        at = from - 1;
      } else if (code < 0x20) {
        this.#repair(
          'raw-control-character',
          JSON.stringify(text[at]),
          JSON.stringify(text[at]).slice(1, -1),
        );
      } else if (smart ? isSmartEnd(code) : code === quote.charCodeAt(0)) {
        if (!this.#options.looseQuotes || this.#endsString(at + 1, role)) {
          this.#at = at + 1;
          return result + text.slice(from, at);
        }
        this.#repair('unescaped-quote', quote, `\\${quote}`);
      }
    }
    throw new Stop('cut', text.length);
  }

  #escape(at: number, quote: string): { text: string; end: number } {
    const next = this.#text[at + 1];
    if (next === undefined) throw new Stop('cut', at + 1);
    const simple = SIMPLE_ESCAPES.get(next);
    if (simple !== undefined) return { text: simple, end: at + 2 };
    const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0;
    if (digits > 0) {
      const hex = this.#text.slice(at + 2, at + 2 + digits);
      if (hex.length === digits && /^[0-9a-fA-F]+$/.test(hex)) {
        if (next === 'x') this.#repair('bad-escape', `\\x${hex}`, `\\u00${hex}`);
        return { text: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 2 + digits };
      }
    }
    if (next === quote || NEEDLESS_ESCAPES.has(next)) {
      if (next !== quote) this.#repair('bad-escape', `\\${next}`, next);
      return { text: next === '\n' && this.#dialect.python ? '' : next, end: at + 2 };
    }
    this.#repair('bad-escape', `\\${next}`, `\\\\${next}`);
    return { text: '\\', end: at + 1 };
  }

  #tripled(tripled: string): string {
    const text = this.#text;
    let result = '';
    let from = this.#at + tripled.length;
    for (let at = from; at < text.length; at++) {
      if (text[at] === '\\') {
        const escaped = this.#escape(at, tripled[0] ?? '"');
        result += text.slice(from, at) + escaped.text;
        from = escaped.end;
        at = from - 1;
      } else if (text.startsWith(tripled, at)) {
        this.#repair('triple-quotes', tripled, '"');
        this.#at = at + tripled.length;
        return result + text.slice(from, at);
      }
    }
    throw new Stop('cut', text.length);
  }

  #delimited(delimiter: string): string {
    const start = this.#at + delimiter.length;
    const end = this.#text.indexOf(delimiter, start);
    if (end === -1) return this.#undelimited(start, delimiter);
    this.#at = end + delimiter.length;
    return this.#text.slice(start, end);
  }

  /** The last text of a call whose end is known, its closing delimiter lost: it reaches to the closing brackets. */
  #undelimited(start: number, delimiter: string): string {
    if (this.#options.limit === undefined) throw new Stop('cut', this.#text.length);
    let end = this.#text.trimEnd().length;
    for (const frame of this.#stack) if (this.#text[end - 1] === frame.closer) end--;
    if (end <= start) throw new Stop('cut', this.#text.length);
    this.#repair('missing-closer', '', delimiter);
    this.#at = end;
    return this.#text.slice(start, end);
  }

  /** Whether a quote is a closing one, going by what stands behind it. */
  #endsString(behind: number, role: ':' | ','): boolean {
    let at = behind;
    while (isSpace(this.#text.charCodeAt(at))) at++;
    const next = this.#text[at];
    if (next === undefined) return true;
    if (role === ':') return next === ':';
    const inArray = this.#innermost?.array !== undefined;
    if (next === '}') return !inArray;
    if (next === ']') return inArray;
    if (next !== ',') return this.#options.closeAtMarker === true && matches(MARKER, this.#text, at);
    return inArray || matches(KEY_AHEAD, this.#text, at + 1);
  }

  #space(): void {
    const text = this.#text;
    for (;;) {
      while (isSpace(text.charCodeAt(this.#at))) this.#at++;
      if (text[this.#at] !== '/') return;
      const line = text[this.#at + 1] === '/';
      if (!line && text[this.#at + 1] !== '*') return;
      const end = text.indexOf(line ? '\n' : '*/', this.#at + 2);
      if (end === -1) throw new Stop('cut', text.length);
      this.#repair('comment', text.slice(this.#at, end + (line ? 0 : 2)), '');
      this.#at = end + (line ? 1 : 2);
    }
  }

  #repair(rule: RepairRule, before: string, after: string): void {
    if (this.#dialect.native.has(rule) || this.#repairs.length >= MAX_REPAIRS) return;
    const last = this.#repairs[this.#repairs.length - 1];
    if (last && last.rule === rule && last.before === before) return;
    this.#repairs.push({ rule, before: excerpt(before), after: excerpt(after) });
  }
}

/** Whether the next member begins here although no comma stands before it. */
function startsMember(frame: Frame, char: string): boolean {
  if (char === '"') return true;
  return frame.closer === ']' && (char === '{' || char === '[');
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xa0 || code === 0xfeff;
}

function isSmartEnd(code: number): boolean {
  return code === 0x201c || code === 0x201d || code === 0x22;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  return match(pattern, text, at) !== undefined;
}
