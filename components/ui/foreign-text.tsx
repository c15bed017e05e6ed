import { Fragment } from 'react';
import { visibleText } from '#lib/browser/words/visible-text.ts';

/**
 * Text of a model, a tool or a file, as text nodes only (D18). Characters that would be unseen or would turn the
 * reading direction are shown by name.
 */
export function ForeignText({ text }: { text: string }) {
  const pieces = visibleText(text);
  const [only] = pieces;
  if (pieces.length === 1 && only && 'text' in only) return only.text;
  return pieces.map((piece, index) =>
    'text' in piece ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <Fragment key={index}>{piece.text}</Fragment>
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
