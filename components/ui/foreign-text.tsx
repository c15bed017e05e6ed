import { Fragment, type ReactNode } from 'react';
import { visibleText } from '#lib/browser/words/text-pieces.ts';

/** A browser lays out a word again for each line that it fills: a word of 60,000 letters blocks the page for 10 s. */
const LONG_WORD = /\S{400}/;
const WORD_PARTS = /(\S{200})/u;

/**
 * Text of a model, a tool or a file, as text nodes only (D18). Characters that would be unseen or would turn the
 * reading direction are shown by name.
 */
export function ForeignText({ text }: { text: string }) {
  const pieces = visibleText(text);
  const [only] = pieces;
  if (pieces.length === 1 && only && 'text' in only) return withBreaks(only.text);
  return pieces.map((piece, index) =>
    'text' in piece ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <Fragment key={index}>{withBreaks(piece.text)}</Fragment>
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
        key={index}
        title={`${piece.mark} (${piece.code})`}
        className="mx-px rounded-sm bg-warn-wash px-0.5 font-mono text-[0.75em] text-warn"
      >
        {piece.mark}
      </span>
    ),
  );
}

/** Allows line breaks within very long words, without changing copied text. */
function withBreaks(text: string): ReactNode {
  if (!LONG_WORD.test(text)) return text;
  return text.split(WORD_PARTS).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
    <Fragment key={index}>
      {part}
      {index % 2 === 1 && <wbr />}
    </Fragment>
  ));
}
