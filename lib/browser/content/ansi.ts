import Anser from 'anser';

export type AnsiColor = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white';
export interface AnsiPiece {
  readonly text: string;
  readonly color: AnsiColor | undefined;
  /** A colored background, shown as a wash: ink and ground of a program could be the same. */
  readonly ground: AnsiColor | undefined;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

const COLORS: readonly AnsiColor[] = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** More changes of color than this are too many elements. */
const MAX_PIECES = 5000;
const ESCAPE = '\u001b';
/** Stands for the escapes that Anser would swallow with what they control. Private use: no program prints it. */
const KEPT = '\u{F001B}';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const NOT_COLOR = /\u001b(?!\[[\d;]*m)/g;

/**
 * Splits what a program printed by its colors. Only colors and styles are obeyed. All other escape sequences stay in the
 * text, hidden text is not hidden, and colors are reduced to eight, which the page draws readably.
 *
 * @returns `undefined` for more changes than a page can draw
 */
export function ansiPieces(text: string): readonly AnsiPiece[] | undefined {
  if (text.split(ESCAPE).length > MAX_PIECES) return undefined;
  const entries = Anser.ansiToJson(text.replaceAll(NOT_COLOR, KEPT), { json: true, remove_empty: true });
  return entries.map(({ content, fg, bg, decorations }) => ({
    text: content.replaceAll(KEPT, ESCAPE),
    color: colorOf(fg),
    ground: colorOf(bg),
    isBold: decorations.includes('bold'),
    isItalic: decorations.includes('italic'),
    isUnderlined: decorations.includes('underline'),
  }));
}

/** @param rgb such as `187, 0, 0` */
function colorOf(rgb: string | null): AnsiColor | undefined {
  if (!rgb) return undefined;
  const [red = 0, green = 0, blue = 0] = rgb.split(',').map(Number);
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 40) return high < 128 ? 'black' : 'white';
  const middle = (high + low) / 2;
  return COLORS[(red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0)];
}
