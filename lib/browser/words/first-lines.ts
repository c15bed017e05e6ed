import { textStart } from '../../util/short-text.ts';

/**
 * The beginning of a text, up to a number of lines and characters, never splitting a character. The whole text if the
 * rest is blank or at most `slack` characters.
 */
export function firstLines(
  text: string,
  { lines, chars, slack = 0 }: { lines: number; chars: number; slack?: number },
): string {
  const head = text.length <= chars + slack ? text : textStart(text, chars);
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = head.indexOf('\n', end + 1);
    if (end === -1) return head;
  }
  return text.slice(end).trim() === '' ? text : head.slice(0, end);
}
