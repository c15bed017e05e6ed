import { isUtf8 } from 'node:buffer';

/** A decoded text, with the source position of each of its UTF-16 units. */
export interface Unescaped {
  text: string;
  /** Maps an offset in the decoded text to one in the source. */
  at(offset: number): number;
}

/** Escapes of URLs, JSON, programs (`\x2f`) and HTML. PHP escapes slashes in JSON: `https:\/\/…`. */
const ESCAPED =
  /((?:%[0-9A-Fa-f]{2})+)|\\{1,4}(?:u([0-9A-Fa-f]{4})|x([0-7][0-9A-Fa-f]))|&#(?:(\d{1,7})|x([0-9A-Fa-f]{1,6}));?|&(amp|quot|apos|lt|gt|nbsp);|\\{1,4}(\/)/g;
const ENTITIES: Record<string, string> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ' };

/** Adds a decoded piece that begins at `at` in the source. */
type AddPiece = (meant: string, at: number, kind: 'plain' | 'escape') => void;

/** Decodes percent, JSON and HTML escapes in a text, and `\x` with ASCII; `undefined` if there are none. */
export function unescaped(written: string): Unescaped | undefined {
  let text = '';
  let from = 0;
  /**
   * Segments of both texts with the same start: within one, offsets advance together or the decoded part is a single
   * escape.
   */
  const pieces: { meant: number; written: number; isEscape: boolean }[] = [];
  const add: AddPiece = (meant, at, kind) => {
    pieces.push({ meant: text.length, written: at, isEscape: kind === 'escape' });
    text += meant;
  };
  for (const match of written.matchAll(ESCAPED)) {
    const { 0: whole, 1: percent, 2: unit, 3: byte, 4: decimal, 5: hex, 6: name, 7: slash, index } = match;
    if (index > from) add(written.slice(from, index), from, 'plain');
    if (percent !== undefined) addPercents(percent, index, add);
    else add(slash ?? meantBy({ unit: unit ?? byte, decimal, hex, name }) ?? whole, index, 'escape');
    from = index + whole.length;
  }
  if (from === 0) return undefined;
  add(written.slice(from), from, 'plain');
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

/** Decodes percent-encoded bytes; each character maps to its first byte. */
function addPercents(percent: string, start: number, add: AddPiece): void {
  const bytes = Buffer.from(percent.replaceAll('%', ''), 'hex');
  if (!isUtf8(bytes)) {
    add(percent, start, 'plain');
    return;
  }
  let at = start;
  for (const sign of bytes.toString('utf8')) {
    add(sign, at, 'escape');
    at += 3 * Buffer.byteLength(sign);
  }
}

/** Minimum length: shorter runs rarely contain a secret and are mostly words. */
const MIN_BASE64 = 20;
/** Lines of one value have the same length, at least 60, and are joined by line breaks, possibly escaped. */
const BASE64_RUN =
  /[A-Za-z0-9+/_-]{60,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{1,})+={0,2}|[A-Za-z0-9+/_-]{20,}={0,2}/g;
const BASE64_LINE = /[A-Za-z0-9+/_-]{60,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{60,})*(?:={1,2})?/g;
const LINE_END = /\r?\n|\\n/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: text contains none of these
const NO_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/;

/** Runs of base64, in either alphabet, that decode to text. Also finds a run that starts in the middle of a group. */
export function* findBase64Texts(text: string): Iterable<{ start: number; end: number; meant: string }> {
  if (text.length < MIN_BASE64) return;
  for (const { 0: run, index } of text.matchAll(BASE64_RUN)) {
    const whole = meantByBase64(run);
    if (whole !== undefined) {
      yield { start: index, end: index + run.length, meant: whole };
      continue;
    }
    // The next line need not belong to the same value.
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
