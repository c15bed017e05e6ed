import type { JsonValue } from '../../util/json.ts';
import { type JsonCursor, Stop } from './json-cursor.ts';
import { isKeyAhead, readText, startsText, type TextPlace } from './json-text.ts';

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

/** Reads the key that starts at the cursor, in quotes or without. */
export function readKey(cursor: JsonCursor, closers: TextPlace['closers']): string {
  if (startsText(cursor)) return readText(cursor, { role: 'key', closers });
  const word = cursor.matchAt(WORD, cursor.at);
  if (word === undefined) throw new Stop('malformed', cursor.at);
  cursor.at += word.length;
  if (cursor.atEnd) throw new Stop('cut', cursor.at);
  cursor.repair('bare-key', word, `"${word}"`);
  return word;
}

/** Reads the text, number or word that starts at the cursor. */
export function readScalar(cursor: JsonCursor, place: TextPlace): JsonValue {
  if (startsText(cursor)) return readText(cursor, place);
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
  // More digits may have been on their way.
  if (end >= text.length && place.role !== 'whole') throw new Stop('cut', end);
  if (CUT_EXPONENT.test(text.slice(end, end + 3))) throw new Stop('cut', text.length);
  if (text[end] === ':' || cursor.matchAt(WORD, end) !== undefined) {
    if (cursor.dialect.native.has('bare-value')) return readBareValue(cursor, place);
    throw new Stop('malformed', end);
  }
  cursor.at = end;
  const value = Number(written);
  if (STRICT_NUMBER.test(written) && Number.isFinite(value)) return value;
  // 007 and 1e999 have no JSON number that means the same.
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

/** Text without any quotes, up to what ends it. */
function readBareValue(cursor: JsonCursor, { role }: TextPlace): string {
  const start = cursor.at;
  for (;;) {
    cursor.at += cursor.matchAt(BARE_VALUE, cursor.at)?.length ?? 0;
    if (cursor.atEnd) throw new Stop('cut', cursor.at);
    // A comma belongs to the text unless the next key follows it: `{city:Paris, France,days:2}`.
    const isText = cursor.char === ',' && role === 'value' && !isKeyAhead(cursor, cursor.at + 1);
    if (!isText) return cursor.text.slice(start, cursor.at).trim();
    cursor.at++;
  }
}
