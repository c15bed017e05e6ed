'use client';

import { useMemo } from 'react';
import { type AnsiColor, ansiPieces } from '#lib/browser/content/ansi.ts';
import { cx } from '../cx.ts';
import { ForeignText } from '../foreign-text.tsx';

const inks: Record<AnsiColor, string> = {
  black: 'text-ink-3',
  red: 'text-fail',
  green: 'text-ok',
  yellow: 'text-warn',
  blue: 'text-code-name',
  magenta: 'text-code-keyword',
  cyan: 'text-code-type',
  white: 'text-ink',
};
/** Washes with inks that are readable on them. */
const grounds: Record<AnsiColor, string> = {
  black: 'bg-sunken text-ink',
  red: 'bg-fail-wash text-fail',
  green: 'bg-ok-wash text-ok',
  yellow: 'bg-warn-wash text-warn',
  blue: 'bg-brass-wash text-ink',
  magenta: 'bg-brass-wash text-ink',
  cyan: 'bg-brass-wash text-ink',
  white: 'bg-raised text-ink',
};

/** The output of a program, in its colors. */
export function AnsiView({ text }: { text: string }) {
  const pieces = useMemo(() => ansiPieces(text), [text]);
  return (
    <pre className="foreign m-0 leading-relaxed">
      {pieces ? (
        pieces.map(({ text: part, color, ground, isBold, isItalic, isUnderlined }, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text never move
            key={index}
            className={cx(
              ground ? grounds[ground] : color && inks[color],
              isBold && 'font-semibold',
              isItalic && 'italic',
              isUnderlined && 'underline',
            )}
          >
            <ForeignText text={part} />
          </span>
        ))
      ) : (
        <ForeignText text={text} />
      )}
    </pre>
  );
}
