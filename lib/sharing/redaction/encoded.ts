import { isUtf8 } from 'node:buffer';

/** A text as it is meant, and where each of its units is written. */
export interface Unescaped {
  text: string;
  /** The offset in what was written, for an offset in what is meant. */
  at(offset: number): number;
}

const ESCAPED =
  /((?:%[0-9A-Fa-f]{2})+)|\\{1,4}u([0-9A-Fa-f]{4})|&#(?:(\d{1,7})|x([0-9A-Fa-f]{1,6}));?|&(amp|quot|apos|lt|gt|nbsp);/g;
const ENTITIES: Record<string, string> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ' };

/** A text with the escapes of addresses, of JSON and of HTML taken back; `undefined` for one without. */
export function unescaped(written: string): Unescaped | undefined {
  let text = '';
  let from = 0;
  /** Pieces of both texts that begin together: within one the offsets run in step, or the meant piece is one escape. */
  const pieces: { meant: number; written: number; isEscape: boolean }[] = [];
  const add = (meant: string, at: number, isEscape: boolean) => {
    pieces.push({ meant: text.length, written: at, isEscape });
    text += meant;
  };
  for (const { 0: whole, 1: percent, 2: unit, 3: decimal, 4: hex, 5: name, index } of written.matchAll(
    ESCAPED,
  )) {
    if (index > from) add(written.slice(from, index), from, false);
    if (percent !== undefined) addPercents(percent, index, add);
    else add(meantBy({ unit, decimal, hex, name }) ?? whole, index, true);
    from = index + whole.length;
  }
  if (from === 0) return undefined;
  add(written.slice(from), from, false);
  return {
    text,
    at(offset) {
      let low = 0;
      let high = pieces.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if ((pieces[middle]?.meant ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      const piece = pieces[low];
      if (!piece || offset >= text.length) return written.length;
      return piece.isEscape ? piece.written : piece.written + offset - piece.meant;
    },
  };
}

function meantBy({
  unit,
  decimal,
  hex,
  name,
}: Record<'unit' | 'decimal' | 'hex' | 'name', string | undefined>) {
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
  if (name !== undefined) return ENTITIES[name];
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

/** Bytes in percents, each sign where its first byte is written. */
function addPercents(
  percent: string,
  start: number,
  add: (meant: string, at: number, isEscape: boolean) => void,
): void {
  const bytes = Buffer.from(percent.replaceAll('%', ''), 'hex');
  if (!isUtf8(bytes)) {
    add(percent, start, false);
    return;
  }
  let at = start;
  for (const sign of bytes.toString('utf8')) {
    add(sign, at, true);
    at += 3 * Buffer.byteLength(sign);
  }
}

/** The fewest signs that are looked at: what is shorter holds hardly a secret, and is mostly a word. */
const MIN_BASE64 = 20;
/** Lines of one value are of equal length, 60 at least, and joined by a line end, or by a written one. */
const BASE64_RUN =
  /[A-Za-z0-9+/_-]{60,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{1,})+={0,2}|[A-Za-z0-9+/_-]{20,}={0,2}/g;
const BASE64_LINE = /[A-Za-z0-9+/_-]{60,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{60,})*(?:={1,2})?/g;
const LINE_END = /\r?\n|\\n/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text has none of these
const NO_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/;

/** Runs of base64, in either alphabet, that mean a text. One that begins in the middle of a group is found as well. */
export function* findBase64Texts(text: string): Iterable<{ start: number; end: number; meant: string }> {
  if (text.length < MIN_BASE64) return;
  for (const { 0: run, index } of text.matchAll(BASE64_RUN)) {
    const whole = meantByBase64(run);
    if (whole !== undefined) {
      yield { start: index, end: index + run.length, meant: whole };
      continue;
    }
    // What stands in the next line need not belong to it.
    for (const { 0: line, index: at } of run.matchAll(BASE64_LINE)) {
      const meant = line === run ? undefined : meantByBase64(line);
      if (meant !== undefined) yield { start: index + at, end: index + at + line.length, meant };
    }
  }
}

function meantByBase64(run: string): string | undefined {
  const signs = run.replaceAll(LINE_END, '');
  for (let skip = 0; skip < 4; skip += 1) {
    const bytes = Buffer.from(signs.slice(skip), 'base64');
    const meant = isUtf8(bytes) ? bytes.toString('utf8') : '';
    if (meant !== '' && !NO_TEXT.test(meant)) return meant;
  }
  return undefined;
}
