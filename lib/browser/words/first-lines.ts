import { textStart } from '../../util/short-text.ts';

/**
 * The beginning of a text: so many lines and characters at most, whole characters only. All of it where the rest would be
 * blank, or no more than `slack` characters.
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
