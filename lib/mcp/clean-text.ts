import { plainText } from '../sandbox/plain-text.ts';
import { textStart } from '../util/short-text.ts';
import type { SecretMask } from './secrets.ts';

/** What nobody sees but a model reads, or what reorders the rest: tags, bidirectional controls, blanks without width. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * A description or name of a server without control characters and without what cannot be seen.
 *
 * @returns also how many UTF-16 units were removed
 */
export function cleanText(text: string): { text: string; hidden: number } {
  const plain = plainText(text.toWellFormed());
  const visible = plain.replace(INVISIBLE, '');
  return { text: visible, hidden: text.length - visible.length };
}

/**
 * The same on one line and shortened, for names and messages.
 *
 * @param mask replaces secrets before the text is shortened: the start of one that is cut is found no more
 */
export function cleanLine(text: unknown, maxChars: number, mask?: Pick<SecretMask, 'text'>): string {
  if (typeof text !== 'string') return '';
  // A hostile text may be long: only its start is cleaned.
  const cleaned = cleanText(textStart(text, 4 * maxChars))
    .text.replaceAll(/\s+/g, ' ')
    .trim();
  const line = mask?.text(cleaned) ?? cleaned;
  return line.length <= maxChars ? line : `${textStart(line, maxChars - 1)}…`;
}

/** Words with a full stop, unless they end with a mark of their own. */
export function sentence(words: string): string {
  return /[.!?)]$/.test(words) ? words : `${words}.`;
}
