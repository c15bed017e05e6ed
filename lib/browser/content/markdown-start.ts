import { textStart } from '../../util/short-text.ts';

/** A line that opens or closes a code block, up to three blanks in. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Where blocks of Markdown may be cut: at blank lines outside of code blocks. Linear in the text.
 *
 * @returns offsets at which a block begins, in order, from 0
 */
export function blockStarts(text: string): number[] {
  const starts = [0];
  let fence: string | undefined;
  let isBlank = false;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, Math.min(end === -1 ? text.length : end, from + 200));
    if (isBlank && fence === undefined && from > 0 && line.trim() !== '') starts.push(from);
    const [, sign] = FENCE.exec(line) ?? [];
    if (sign !== undefined && fence === undefined) fence = sign;
    else if (sign !== undefined && fence !== undefined && sign.startsWith(fence) && line.trim() === sign)
      fence = undefined;
    isBlank = line.trim() === '';
    if (end === -1) break;
    from = end + 1;
  }
  return starts;
}

/** The first blocks of Markdown that fit, or the beginning of the first; all of it where `slack` or less would be left. */
export function firstBlocks(text: string, { chars, slack = 0 }: { chars: number; slack?: number }): string {
  if (text.length <= chars + slack) return text;
  const cut = blockStarts(text).findLast((start) => start <= chars) || textStart(text, chars).length;
  return text.slice(0, cut).trimEnd();
}

/** The last blocks of Markdown that fit, for text that is still being written. */
export function lastBlocks(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = blockStarts(text).find((each) => text.length - each <= chars);
  return text.slice(start ?? text.length - chars);
}
