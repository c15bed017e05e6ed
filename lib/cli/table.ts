import stringWidth from 'string-width';
import { plainVisibleLine } from '../browser/words/visible-text.ts';

const GAP = '  ';
const INDENT = '    ';
/** A last column that may be shortened keeps at least this width. */
const MIN_LAST = 24;

const segmenter = new Intl.Segmenter();

function charsOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Rows of texts in aligned columns. If they do not fit, each row takes several lines: the later ones are indented, and
 * each text follows the name of its column. Pure.
 *
 * @param rows the same number of untrusted texts each
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
  const names = head?.map(plainVisibleLine);
  const lines = rows.map((row) => row.map(plainVisibleLine));
  const table = names ? [names, ...lines] : lines;
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => stringWidth(row[column] ?? ''))),
  );
  const last = widths.pop() ?? 0;
  const before = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const room = columns - before;
  if (last > room && !(shortensLast && room >= MIN_LAST)) {
    return lines.flatMap((row) =>
      wrapped(names ? row.map((text, column) => `${names[column]}: ${text}`) : row, columns),
    );
  }
  return table.map((row) =>
    row
      .map((text, column) => {
        const width = widths[column];
        return width === undefined ? shortened(text, room) : text + ' '.repeat(width - stringWidth(text));
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** The start of a text that is at most this wide, with an ellipsis if it was cut. */
function shortened(text: string, width: number): string {
  return stringWidth(text) <= width ? text : `${startOf(text, width - 1).trimEnd()}…`;
}

function startOf(text: string, width: number): string {
  let taken = 0;
  let start = '';
  for (const char of charsOf(text)) {
    taken += stringWidth(char);
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
    if (gap !== '' && line !== '' && stringWidth(longer) <= columns) {
      line = longer;
      return;
    }
    if (line !== '') lines.push(line);
    line = lines.length === 0 ? text : INDENT + text;
  };
  for (const text of texts) {
    if (stringWidth(text) <= room) add(text, GAP);
    else {
      const words = text.split(' ').flatMap((word) => partsOf(word, room));
      for (const [index, word] of words.entries()) add(word, index === 0 ? '' : ' ');
    }
  }
  return [...lines, line];
}

/** A word in parts of at most this width. */
export function partsOf(word: string, width: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (stringWidth(rest) > width) {
    const part = startOf(rest, width);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return rest === '' ? parts : [...parts, rest];
}
