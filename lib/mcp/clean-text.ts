import { plainText } from '../sandbox/plain-text.ts';
import { textStart } from '../util/short-text.ts';

/** What replaces secrets in a text: a `SecretMask`. */
interface Mask {
  text(text: string): string;
}

/**
 * Characters that are invisible to people but not to models, or that reorder text: tags, bidirectional controls,
 * zero-width spaces.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * A server's description or name without control and invisible characters.
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
 * @param mask replaces secrets before the text is shortened, because a cut secret is not recognized
 */
export function cleanLine(text: unknown, maxChars: number, mask?: Mask): string {
  if (typeof text !== 'string') return '';
  // A hostile text may be long, so only its start is cleaned.
  const cleaned = cleanText(textStart(text, 4 * maxChars))
    .text.replaceAll(/\s+/g, ' ')
    .trim();
  const line = mask?.text(cleaned) ?? cleaned;
  return line.length <= maxChars ? line : `${textStart(line, maxChars - 1)}…`;
}

/** The text with a full stop, unless it ends with punctuation. */
export function sentence(words: string): string {
  return /[.!?)]$/.test(words) ? words : `${words}.`;
}
