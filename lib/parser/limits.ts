/** Longest text that is read for calls. A longer one is treated as an answer. */
export const MAX_TEXT_CHARS = 2_000_000;

/** Nesting depth of JSON values. Deeper ones are refused, so that no later code overflows its stack. */
export const MAX_DEPTH = 512;

/**
 * Calls that are read of one reply. A run makes 32 of them and answers each of the others with an event, so a reply with
 * 100,000 would take it minutes and gigabytes.
 */
export const MAX_CALLS = 256;

/**
 * Values in the arguments of a call, not counting the lists and objects around them. Checking, comparing and storing
 * hundreds of thousands would keep the event loop from all other work for seconds.
 */
export const MAX_ARGUMENT_VALUES = 50_000;

/** Refusals kept per reply. A hostile text can contain one per character. */
export const MAX_REFUSALS = 100;

/** Characters of `raw`, `before` and `after` kept in the parse details. */
export const MAX_EXCERPT_CHARS = 400;

/** Repairs kept per call. */
export const MAX_REPAIRS = 50;

/** Longest tool or parameter name. */
export const MAX_NAME_CHARS = 128;

/** How many times arguments may be encoded as JSON text. */
export const MAX_ENCODINGS = 3;
