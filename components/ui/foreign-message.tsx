'use client';

import { useState } from 'react';
import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { firstLines } from '#lib/browser/words/first-lines.ts';
import { cx } from './cx.ts';
import { ForeignText } from './foreign-text.tsx';
import { useFound } from './found-words.ts';
import { ScrollRegion } from './scroll-region.tsx';
import { ShowAll } from './show-all.tsx';

const LINES = 6;
const CHARS = 600;

/** A multi-line message from an untrusted source; a long one is truncated and expands to a scrollable box. */
export function ForeignMessage({ text, className }: { text: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  const all = text.trimEnd();
  const beginning = firstLines(all, { lines: LINES, chars: CHARS });
  useFound((words) => {
    if (lacksFound(beginning, all, words)) setWhole(true);
  });
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
        <ScrollRegion label="Full message" className="foreign max-h-[40dvh] overflow-y-auto">
          <ForeignText text={all} />
        </ScrollRegion>
      ) : (
        <p className="foreign">
          <ForeignText text={beginning} /> …
        </p>
      )}
      <ShowAll whole={whole} onChange={setWhole} />
    </div>
  );
}
