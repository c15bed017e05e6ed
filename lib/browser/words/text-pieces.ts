/** A piece of text to show unchanged, or invisible characters that are named instead. */
export type TextPiece = { text: string } | { mark: string; code: string };

const NAMES: Record<number, string> = {
  0: 'NUL',
  7: 'BEL',
  8: 'BS',
  11: 'VT',
  12: 'FF',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  173: 'SHY',
  847: 'CGJ',
  1564: 'ALM',
  4447: 'HCF',
  4448: 'HJF',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LSEP',
  8233: 'PSEP',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  10240: 'BLANK',
  12644: 'HF',
  65279: 'BOM',
  65440: 'HHF',
};

/** Scripts write up to about five marks on one letter; a longer stack covers the lines around it. */
const MAX_MARKS = 8;

/**
 * What may have to be named: control characters, everything that Unicode lets a renderer leave out
 * (Default_Ignorable_Code_Point, UAX 44), line and annotation separators, the blank Braille pattern, and stacks of
 * combining marks.
 */
const SUSPECTS =
  /\r\n|[\u{E0000}-\u{E007F}]+|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]+|[^\P{Cc}\n\t]|\p{DI}|[\u2028\u2029\uFFF9-\uFFFB\u2800]|(?:(?!\p{DI})\p{M}){9,}/gu;

/**
 * Splits text of a model or a tool into what may be shown and what must be made visible: characters that control a
 * terminal, turn the reading direction or have no width, and marks stacked without end (D18). A line break and a tab stay;
 * `\r\n` counts as a line break. Joiners and selectors stay where a script or an emoji needs them. Linear in the text.
 */
export function visibleText(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  const showUntil = (index: number) => {
    if (index > from) pieces.push({ text: text.slice(from, index) });
  };
  for (const { 0: found, index } of text.matchAll(SUSPECTS)) {
    if (found === '\r\n') {
      showUntil(index);
      from = index + 1;
    } else if (!isNeeded(found, text, index)) {
      const shown = shownMarks(found);
      showUntil(index + shown);
      pieces.push(nameOf(found.slice(shown)));
      from = index + found.length;
    }
  }
  showUntil(text.length);
  return pieces;
}

/** UTF-16 units of combining marks to show; 0 for anything else. */
function shownMarks(found: string): number {
  if (!/^(?!\p{DI})\p{M}/u.test(found)) return 0;
  return [...found].slice(0, MAX_MARKS).join('').length;
}

/** Flags of England, Scotland and Wales: the only sequences of tag characters that fonts draw (UTS 51). */
const FLAG_TAGS = new Set(['gbeng', 'gbsct', 'gbwls']);
const CANCEL_TAG = 0xe007f;

/** Letters and signs of scripts in which a joiner changes how a word is written. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

/** Whether a match is a regular part of a script or emoji. */
function isNeeded(found: string, text: string, index: number): boolean {
  const before = characterBefore(text, index);
  const after = characterAt(text, index + found.length);
  switch (found) {
    case '\u200c':
      return JOINING.test(before) && !/\p{DI}/u.test(before);
    case '\u200d':
      return isEmojiJoin(before, after) || (JOINING.test(before) && !/\p{DI}/u.test(before));
    case '\ufe0e':
    case '\ufe0f':
      return /[0-9#*]/.test(before) ? after === '\u20e3' : /\p{Emoji}/u.test(before);
    case '\u180b':
    case '\u180c':
    case '\u180d':
    case '\u180e':
      return /\p{Script=Mongolian}/u.test(before) && !/\p{DI}/u.test(before);
    default:
      return before === '\u{1F3F4}' && isFlagTags(found);
  }
}

/** A joiner between two pictographs, the first with an optional skin tone or selector. */
function isEmojiJoin(before: string, after: string): boolean {
  return (
    /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u.test(before) &&
    /\p{Extended_Pictographic}/u.test(after)
  );
}

function isFlagTags(found: string): boolean {
  const codes = [...found].map((character) => character.codePointAt(0) ?? 0);
  return codes.pop() === CANCEL_TAG && FLAG_TAGS.has(asciiOfTags(codes));
}

function asciiOfTags(codes: readonly number[]): string {
  return codes.map((code) => String.fromCharCode(code - 0xe0000)).join('');
}

function characterBefore(text: string, index: number): string {
  const code = text.charCodeAt(index - 1);
  const isLowSurrogate = code >= 0xdc00 && code <= 0xdfff;
  return text.slice(Math.max(0, index - (isLowSurrogate ? 2 : 1)), index);
}

function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** The name of hidden characters. Tag characters encode ASCII, which is decoded and shown. */
function nameOf(hidden: string): TextPiece {
  const codes = [...hidden].map((character) => character.codePointAt(0) ?? 0);
  const [first = 0] = codes;
  const code = `U+${first.toString(16).toUpperCase().padStart(4, '0')}`;
  const count = codes.length > 1 ? ` ×${codes.length}` : '';
  if (first >= 0xe0000 && first <= 0xe007f) {
    const spelt = asciiOfTags(codes).replace(/[^ -~]/g, '');
    return { mark: spelt === '' ? `TAG${count}` : `TAG ${spelt}`, code };
  }
  if (isSelector(first)) return { mark: `VS${count}`, code };
  if (codes.length > 1) return { mark: `+${codes.length} marks`, code };
  const short = first <= 0xff ? `x${first.toString(16).toUpperCase().padStart(2, '0')}` : code;
  return { mark: NAMES[first] ?? short, code };
}

function isSelector(code: number): boolean {
  return (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
}
