/** A piece of text to show as it is, or a character that would not be seen and is named instead. */
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
  1564: 'ALM',
  8203: 'ZWSP',
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
  65279: 'BOM',
};

/**
 * Splits text of a model or a tool into what may be shown and what must be made visible: control characters, those
 * that turn the reading direction, and those without width (D18). A line break and a tab stay; `\r\n` counts as a line
 * break. Joiners inside words and emoji stay, since scripts need them.
 */
export function visibleText(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isHidden(code)) continue;
    const breaksLine = code === 0x0d && text.charCodeAt(index + 1) === 0x0a;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    from = index + 1;
    if (!breaksLine)
      pieces.push({ mark: nameOf(code), code: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` });
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function isHidden(code: number): boolean {
  if (code < 0x20) return code !== 0x0a && code !== 0x09;
  if (code < 0x7f) return false;
  return (
    code <= 0x9f ||
    code === 0xad ||
    code === 0x061c ||
    code === 0x200b ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x2028 && code <= 0x202e) ||
    code === 0x2060 ||
    (code >= 0x2066 && code <= 0x2069) ||
    code === 0xfeff
  );
}

function nameOf(code: number): string {
  return NAMES[code] ?? `x${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** The same for places that take plain text only, such as a title: hidden characters become `⟨RLO⟩`. */
export function plainVisibleText(text: string): string {
  return visibleText(text)
    .map((piece) => ('text' in piece ? piece.text : `⟨${piece.mark}⟩`))
    .join('');
}
