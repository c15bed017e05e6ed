import { textStart } from '../util/short-text.ts';

/** Characters of one text that are read at all; what is longer is taken as an answer. */
export const MAX_TEXT_CHARS = 2_000_000;

/** Levels of nesting a JSON value may have. Deeper ones are refused, so that no later part overflows its stack. */
export const MAX_DEPTH = 512;

/** Refusals kept per reply. A hostile text can hold one per character. */
export const MAX_REFUSALS = 100;

/** Characters of `raw`, `before` and `after` kept in details. */
const MAX_EXCERPT_CHARS = 400;

/** Repairs kept per call. */
export const MAX_REPAIRS = 50;

/** Longest tool or parameter name. */
export const MAX_NAME_CHARS = 128;

/** How often arguments may be JSON text inside JSON text. */
export const MAX_ENCODINGS = 3;

/** A text shortened for details, never in the middle of a surrogate pair. */
export function excerpt(text: string): string {
  return textStart(text, MAX_EXCERPT_CHARS);
}
