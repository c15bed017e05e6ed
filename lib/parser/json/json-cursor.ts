import type { JsonValue } from '../../util/json.ts';
import { textStart } from '../../util/short-text.ts';
import { MAX_EXCERPT_CHARS, MAX_REPAIRS } from '../limits.ts';

/** The deviations from strict JSON that the reader repairs. */
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

/** A repair whose texts are shortened for the parse details. */
export function textRepair(rule: string, before: string, after: string): TextRepair {
  return { rule, before: textStart(before, MAX_EXCERPT_CHARS), after: textStart(after, MAX_EXCERPT_CHARS) };
}

/** How a family of formats writes values. Deviations in `native` are not recorded as repairs. */
export interface Dialect {
  native: ReadonlySet<RepairRule>;
  /** Encloses strings without escapes, for example `<escape>`. */
  delimiter?: string;
  /** `(1, 2)` is a list and `r'…'` a string. */
  python?: boolean;
}

const JSON_DIALECT: Dialect = { native: new Set() };

export interface JsonReaderOptions {
  dialect?: Dialect;
  /** A quote that no separator follows is part of the string. Only sensible after an explicit marker. */
  looseQuotes?: boolean;
  /** A control tag or fence in place of a comma or closing bracket ends the value as if the brackets were missing. */
  closeAtMarker?: boolean;
  /** Offset at which the text counts as ended. */
  limit?: number;
}

export type StopReason = 'malformed' | 'cut' | 'too-deep';

export type JsonReading =
  | {
      ok: true;
      value: JsonValue;
      /** Offset after the value. */
      end: number;
      /** False when closing brackets were missing at the end. All values are still complete. */
      closed: boolean;
      repairs: TextRepair[];
      /** A key that could reach a prototype. It is omitted from the value. */
      unsafeKey?: string;
    }
  | {
      ok: false;
      reason: StopReason;
      /** Where reading stopped. */
      at: number;
      /** The containers that were still open, from the outside in. Each of them fails at the same offset. */
      open: readonly OpenContainer[];
      /** The outermost container as far as it was read. */
      partial?: JsonValue;
    };

/** An object or list whose end was not reached, as far as it was read. */
export interface OpenContainer {
  start: number;
  value: JsonValue;
}

/** Thrown inside the JSON reader to stop reading; only `readJson` catches it. */
export class Stop {
  reason: StopReason;
  at: number;

  constructor(reason: StopReason, at: number) {
    this.reason = reason;
    this.at = at;
  }
}

const MARKER = /<|```|\[\/|\[TOOL/y;

/** A position in a text that is read as JSON, and the repairs made so far. */
export class JsonCursor {
  readonly text: string;
  readonly dialect: Dialect;
  readonly options: JsonReaderOptions;
  readonly repairs: TextRepair[] = [];
  at: number;

  constructor(text: string, start: number, options: JsonReaderOptions) {
    this.text = options.limit === undefined ? text : text.slice(0, options.limit);
    this.at = start;
    this.options = options;
    this.dialect = options.dialect ?? JSON_DIALECT;
  }

  /** The character at the cursor; `undefined` at the end. */
  get char(): string | undefined {
    return this.text[this.at];
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Moves past white space and comments. */
  skipSpace(): void {
    for (;;) {
      this.at = skipBlanks(this.text, this.at);
      if (this.char !== '/') return;
      const next = this.text[this.at + 1];
      if (next === '/') this.#skipComment('\n', 0);
      else if (next === '*') this.#skipComment('*/', 2);
      else return;
    }
  }

  #skipComment(closer: string, closerChars: number): void {
    const end = this.text.indexOf(closer, this.at + 2);
    if (end === -1) throw new Stop('cut', this.text.length);
    this.repair('comment', this.text.slice(this.at, end + closerChars), '');
    this.at = end + closer.length;
  }

  /** Whether a tag, fence or marker that ends a value starts at an offset. */
  isMarker(at: number): boolean {
    return this.options.closeAtMarker === true && this.matchAt(MARKER, at) !== undefined;
  }

  /** The match of a sticky pattern at an offset. */
  matchAt(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0];
  }

  /** Records a repair unless the dialect allows the deviation. Immediate repetitions are recorded once. */
  repair(rule: RepairRule, before: string, after: string): void {
    if (this.dialect.native.has(rule) || this.repairs.length >= MAX_REPAIRS) return;
    const last = this.repairs[this.repairs.length - 1];
    if (last?.rule === rule && last.before === before) return;
    this.repairs.push(textRepair(rule, before, after));
  }
}

/** Offset of the first character from `from` on that is not white space. */
function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xa0 || code === 0xfeff;
}

/** The role of a string or scalar, which decides what may follow it. */
export interface TextPlace {
  /** `key` of an object, `value` in one, `item` of a list, or `whole` for a top-level value. */
  role: 'key' | 'value' | 'item' | 'whole';
  /** The closing brackets still expected, outermost first. */
  closers: () => readonly string[];
  /** Backslashes are literal, as in Python's `r'…'`. */
  raw?: boolean;
}

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

/** Characters that other languages escape but JSON does not. Before any other character a backslash is literal. */
const NEEDLESS_ESCAPES = new Set(["'", '$', '`', ' ', '\n']);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['u', 4],
  ['x', 2],
]);
const HEX = /^[0-9a-fA-F]+$/;

const KEY_AHEAD = /\s*(?:["'“][^"'”\n]{0,100}["'”]|[A-Za-z_$][\w$-]{0,100})\s*:/y;

/** Whether a quoted or delimited string starts at the cursor. */
export function startsText(cursor: JsonCursor): boolean {
  const { char, dialect, text, at } = cursor;
  if (char === '"' || char === "'" || isSmartQuote(char)) return true;
  return dialect.delimiter !== undefined && text.startsWith(dialect.delimiter, at);
}

/** Reads the string at the cursor, in any kind of quotes. Throws `Stop` when the string is cut off. */
export function readText(cursor: JsonCursor, place: TextPlace): string {
  const { char: quote = '', dialect, text, at } = cursor;
  if (dialect.delimiter !== undefined && text.startsWith(dialect.delimiter, at)) {
    return readDelimited(cursor, dialect.delimiter, place);
  }
  if (isSmartQuote(quote)) {
    cursor.repair('smart-quotes', quote, '"');
    return readQuoted(cursor, ['“', '”', '"'], place);
  }
  const tripled = quote.repeat(3);
  if (text.startsWith(tripled, at)) return readTripled(cursor, tripled);
  if (quote === "'") cursor.repair('single-quotes', "'", '"');
  return readQuoted(cursor, [quote], place);
}

/** Whether an object key starts at an offset, as after a comma. */
export function isKeyAhead(cursor: JsonCursor, at: number): boolean {
  return cursor.matchAt(KEY_AHEAD, at) !== undefined;
}

function readQuoted(cursor: JsonCursor, quotes: readonly string[], place: TextPlace): string {
  const { text } = cursor;
  const [first = 0, second = first, third = first] = quotes.map((quote) => quote.charCodeAt(0));
  let result = '';
  let from = cursor.at + 1;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c && !place.raw) {
      const escaped = readEscape(cursor, at, quotes);
      result += text.slice(from, at) + escaped.text;
      from = escaped.end;
      at = from - 1;
    } else if (code === first || code === second || code === third) {
      if (!cursor.options.looseQuotes || endsText(cursor, at + 1, place)) {
        cursor.at = at + 1;
        return result + text.slice(from, at);
      }
      cursor.repair('unescaped-quote', text.charAt(at), `\\${text.charAt(at)}`);
    } else if (code < 0x20) {
      const shown = JSON.stringify(text.charAt(at)).slice(1, -1);
      cursor.repair('raw-control-character', text.charAt(at), shown);
    }
  }
  throw new Stop('cut', text.length);
}

function readTripled(cursor: JsonCursor, tripled: string): string {
  const { text } = cursor;
  let result = '';
  let from = cursor.at + tripled.length;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') {
      const escaped = readEscape(cursor, at, [tripled.charAt(0)]);
      result += text.slice(from, at) + escaped.text;
      from = escaped.end;
      at = from - 1;
    } else if (text.startsWith(tripled, at)) {
      cursor.repair('triple-quotes', tripled, '"');
      cursor.at = at + tripled.length;
      return result + text.slice(from, at);
    }
  }
  throw new Stop('cut', text.length);
}

function readEscape(
  cursor: JsonCursor,
  at: number,
  quotes: readonly string[],
): { text: string; end: number } {
  const next = cursor.text[at + 1];
  if (next === undefined) throw new Stop('cut', at + 1);
  const simple = SIMPLE_ESCAPES.get(next);
  if (simple !== undefined) return { text: simple, end: at + 2 };
  const digits = HEX_DIGITS.get(next);
  const hex = digits === undefined ? '' : cursor.text.slice(at + 2, at + 2 + digits);
  if (hex.length === digits && HEX.test(hex)) {
    if (next === 'x') cursor.repair('bad-escape', `\\x${hex}`, `\\u00${hex}`);
    return { text: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 2 + digits };
  }
  if (quotes.includes(next)) return { text: next, end: at + 2 };
  if (NEEDLESS_ESCAPES.has(next)) {
    cursor.repair('bad-escape', `\\${next}`, next);
    const continuesLine = next === '\n' && cursor.dialect.python;
    return { text: continuesLine ? '' : next, end: at + 2 };
  }
  cursor.repair('bad-escape', `\\${next}`, `\\\\${next}`);
  return { text: '\\', end: at + 1 };
}

function readDelimited(cursor: JsonCursor, delimiter: string, { closers }: TextPlace): string {
  const { text } = cursor;
  const start = cursor.at + delimiter.length;
  const end = text.indexOf(delimiter, start);
  if (end !== -1) {
    cursor.at = end + delimiter.length;
    return text.slice(start, end);
  }
  // The last string of a call with a known end lost its delimiter, so it extends to the closing brackets.
  if (cursor.options.limit === undefined) throw new Stop('cut', text.length);
  let last = text.trimEnd().length;
  for (const closer of closers()) if (text[last - 1] === closer) last--;
  if (last <= start) throw new Stop('cut', text.length);
  cursor.repair('missing-closer', '', delimiter);
  cursor.at = last;
  return text.slice(start, last);
}

/** Whether a quote closes the string, judging by what follows it. */
function endsText(cursor: JsonCursor, after: number, { role }: TextPlace): boolean {
  const at = skipBlanks(cursor.text, after);
  const next = cursor.text[at];
  if (next === undefined) return true;
  if (role === 'key') return next === ':';
  if (next === '}') return role === 'value';
  if (next === ']') return role === 'item';
  if (next === ',') return role === 'item' || isKeyAhead(cursor, at + 1);
  return cursor.isMarker(at);
}

function isSmartQuote(char: string | undefined): boolean {
  return char === '“' || char === '”';
}
