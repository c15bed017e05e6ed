'use client';

import { useState } from 'react';
import { firstLines } from '#lib/browser/words/first-lines.ts';
import { cx } from './cx.ts';
import { ForeignText } from './foreign-text.tsx';
import { ShowAll } from './show-all.tsx';

const LINES = 6;
const CHARS = 600;

/** A multi-line message from an untrusted source; a long one is truncated and expands to a scrollable box. */
export function ForeignMessage({ text, className }: { text: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  const all = text.trimEnd();
  const beginning = firstLines(all, { lines: LINES, chars: CHARS });
  if (beginning.length === all.length) {
    return (
      <p className={cx('foreign', className)}>
        <ForeignText text={all} />
      </p>
    );
  }
  return (
    <div className={className}>
      {whole ? (
        <section
          aria-label="Full message"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
          tabIndex={0}
          className="foreign max-h-[40dvh] overflow-y-auto"
        >
          <ForeignText text={all} />
        </section>
      ) : (
        <p className="foreign">
          <ForeignText text={beginning} /> …
        </p>
      )}
      <ShowAll whole={whole} onChange={setWhole} />
    </div>
  );
}
