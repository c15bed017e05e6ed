/** Limits in UTF-16 units, so that no text blocks the page; longer texts are shown as plain text. */
export const MAX_MARKDOWN_CHARS = 60_000;
export const MAX_RENDERED_CHARS = 200_000;
export const MAX_HIGHLIGHTED_CHARS = 40_000;
/** Minified code: patterns of languages are slow on long lines, and nobody reads them. */
export const MAX_HIGHLIGHTED_LINE_CHARS = 1000;
export const MAX_MATH_CHARS = 2000;
/** A picture as a `data:` URL. */
export const MAX_IMAGE_CHARS = 8_000_000;
/** Its width times its height. */
export const MAX_IMAGE_PIXELS = 40_000_000;
/** Texts that were truncated on their way here are fetched in full up to this size; longer ones are offered as a file. */
export const MAX_FETCHED_CHARS = 2_000_000;
