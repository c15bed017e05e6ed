import { shortText } from '../../util/short-text.ts';
import { visibleText } from './text-pieces.ts';

/** The same for places that take plain text only, such as a title: hidden characters become `⟨RLO⟩`. */
export function plainVisibleText(text: string): string {
  return visibleText(text)
    .map((piece) => ('text' in piece ? piece.text : `⟨${piece.mark}⟩`))
    .join('');
}

/** The same on one line, for lists, logs and terminals: a line break becomes `⏎`. */
export function plainVisibleLine(text: string): string {
  return plainVisibleText(withoutLineBreaks(text));
}

/** An untrusted name for a label, option or sentence: on one line, truncated if long. */
export function shortLine(text: string, max = 100): string {
  return shortText(plainVisibleLine(text), max);
}

/** A text on one line: each line break, with the blanks around it, becomes `⏎`. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/\s*(?:\r\n|[\n\r\u2028\u2029])\s*/g, ' ⏎ ');
}

/** The characters of a text that would not be seen, each kind once, in the order in which they come. */
export function hiddenMarks(text: string): { mark: string; code: string }[] {
  const marks = visibleText(text).flatMap((piece) => ('mark' in piece ? [piece] : []));
  return [...new Map(marks.map((piece) => [piece.mark, piece])).values()];
}
