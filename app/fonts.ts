/**
 * The fonts of nearly every text, as the style sheet loads them (`globals.css`): the build gives a file one address, wherever
 * it is named. Letters outside Latin have files of their own, which few pages need.
 */
const FILES = [
  new URL(
    '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wdth-normal.woff2',
    import.meta.url,
  ),
  new URL(
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
    import.meta.url,
  ),
];

/** The paths of the fonts to preload. */
export const FONT_PATHS = FILES.map(({ pathname }) => pathname);
