const GAP = '  ';
const INDENT = '    ';
/** A last column that may be shortened keeps at least this width. */
const MIN_LAST = 24;

/** Wide and fullwidth ranges: https://www.unicode.org/Public/16.0.0/ucd/EastAsianWidth.txt */
const WIDE =
  /\ufe0f|[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const ASCII = /^[ -~]*$/;
const COMBINING = /^\p{M}+$/u;
const segmenter = new Intl.Segmenter();

/** The columns that a text takes in a terminal. */
function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return charsOf(text).reduce((sum, char) => sum + charWidth(char), 0);
}

function charsOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function charWidth(char: string): number {
  if (COMBINING.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/**
 * Rows of texts in aligned columns. Where they do not fit, each row takes lines of its own, with the later ones indented
 * and each text after the name of its column. Pure.
 *
 * @param rows the same number of visible, one-line texts each
 * @param options.head the names of the columns, for a first line
 * @param options.columns the width of the terminal; default: no limit
 * @param options.shortensLast whether the last column may be shortened
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  {
    head,
    columns = Number.POSITIVE_INFINITY,
    shortensLast = false,
  }: { head?: readonly string[]; columns?: number | undefined; shortensLast?: boolean } = {},
): string[] {
  const table = head ? [head, ...rows] : rows;
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => widthOf(row[column] ?? ''))),
  );
  const last = widths.pop() ?? 0;
  const before = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const room = columns - before;
  if (last > room && !(shortensLast && room >= MIN_LAST)) {
    return rows.flatMap((row) =>
      wrapped(head ? row.map((text, column) => `${head[column]}: ${text}`) : row, columns),
    );
  }
  return table.map((row) =>
    row
      .map((text, column) => {
        const width = widths[column];
        return width === undefined ? shortened(text, room) : text + ' '.repeat(width - widthOf(text));
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** The start of a text that is at most this wide, with an ellipsis if it was cut. */
function shortened(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${startOf(text, width - 1).trimEnd()}…`;
}

function startOf(text: string, width: number): string {
  let taken = 0;
  let start = '';
  for (const char of charsOf(text)) {
    taken += charWidth(char);
    if (taken > width) break;
    start += char;
  }
  return start;
}

/** Texts one after the other on lines of at most this width. Only words that are longer than a line are broken. */
function wrapped(texts: readonly string[], columns: number): string[] {
  const room = Math.max(2, columns - INDENT.length);
  const lines: string[] = [];
  let line = '';
  const add = (text: string, gap: string) => {
    const longer = line + gap + text;
    if (gap !== '' && line !== '' && widthOf(longer) <= columns) {
      line = longer;
      return;
    }
    if (line !== '') lines.push(line);
    line = lines.length === 0 ? text : INDENT + text;
  };
  for (const text of texts) {
    if (widthOf(text) <= room) add(text, GAP);
    else {
      const words = text.split(' ').flatMap((word) => partsOf(word, room));
      for (const [index, word] of words.entries()) add(word, index === 0 ? '' : ' ');
    }
  }
  return [...lines, line];
}

/** A word in parts of at most this width. */
function partsOf(word: string, width: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (widthOf(rest) > width) {
    const part = startOf(rest, width);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return rest === '' ? parts : [...parts, rest];
}
