import { plainText } from '../sandbox/plain-text.ts';
import { textStart } from '../util/short-text.ts';

/**
 * Characters that nobody sees but a model reads, or that reorder what is seen: tags, bidirectional controls, joiners and
 * blanks without width, fillers, variation selectors for ideographs.
 */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** An untrusted text without control characters and without what cannot be seen; `hidden`: how much was removed. */
export function cleanText(text: string): { text: string; hidden: number } {
  const plain = plainText(text.toWellFormed());
  const visible = plain.replace(INVISIBLE, '');
  return { text: visible, hidden: text.length - visible.length };
}

/** The same on one line and shortened, for names and messages. */
export function cleanLine(text: unknown, maxChars: number): string {
  if (typeof text !== 'string') return '';
  // A hostile text may be long: only its start is cleaned.
  const line = cleanText(textStart(text, 4 * maxChars))
    .text.replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= maxChars ? line : `${textStart(line, maxChars - 1)}…`;
}
