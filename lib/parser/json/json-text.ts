import { behindBlanks, type JsonCursor, Stop } from './json-cursor.ts';

/** Where a text stands, which decides what may follow it. */
export interface TextPlace {
  /** `key` of an object, `value` in one, `item` of a list, or `whole` when the text is all there is. */
  role: 'key' | 'value' | 'item' | 'whole';
  /** The closing brackets that are still to come, outermost first. */
  closers: () => readonly string[];
  /** Backslashes are text, as in Python's `r'…'`. */
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

/** Characters that other languages escape although JSON does not. Before any other one a backslash is text. */
const NEEDLESS_ESCAPES = new Set(["'", '$', '`', ' ', '\n']);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['u', 4],
  ['x', 2],
]);
const HEX = /^[0-9a-fA-F]+$/;

const KEY_AHEAD = /\s*(?:["'“][^"'”\n]{0,100}["'”]|[A-Za-z_$][\w$-]{0,100})\s*:/y;

/** Whether a quoted or delimited text starts at the cursor. */
export function startsText(cursor: JsonCursor): boolean {
  const { char, dialect, text, at } = cursor;
  if (char === '"' || char === "'" || isSmartQuote(char)) return true;
  return dialect.delimiter !== undefined && text.startsWith(dialect.delimiter, at);
}

/** Reads the text that starts at the cursor, in whichever quotes. A text that the end cuts is a `Stop`. */
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

/** Whether an object's next key follows behind a comma. */
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
  // The last text of a call whose end is known has lost its delimiter: it reaches to the closing brackets.
  if (cursor.options.limit === undefined) throw new Stop('cut', text.length);
  let last = text.trimEnd().length;
  for (const closer of closers()) if (text[last - 1] === closer) last--;
  if (last <= start) throw new Stop('cut', text.length);
  cursor.repair('missing-closer', '', delimiter);
  cursor.at = last;
  return text.slice(start, last);
}

/** Whether a quote is a closing one, going by what stands behind it. */
function endsText(cursor: JsonCursor, behind: number, { role }: TextPlace): boolean {
  const at = behindBlanks(cursor.text, behind);
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
