'use client';

import { useState } from 'react';
import { plainVisibleLine, withoutLineBreaks } from '#lib/browser/words/visible-text.ts';
import { shortMiddle, shortText } from '#lib/util/short-text.ts';
import { ForeignText } from './foreign-text.tsx';
import { ShowAll } from './show-all.tsx';

const MAX_CHARS = 100;

interface Name {
  text: string;
  /** Characters shown at most. */
  max?: number;
  /** Truncates in the middle, because the end of a path identifies it. */
  isPath?: boolean;
}

/** An untrusted name, title or path on one line, truncated if long; the tooltip has it in full. */
export function ShortName({ text, max = MAX_CHARS, isPath = false }: Name) {
  const line = withoutLineBreaks(text);
  if (line.length <= max) return <ForeignText text={line} />;
  return (
    <span title={plainVisibleLine(text)}>
      <ForeignText text={isPath ? shortMiddle(line, max) : shortText(line, max)} />
    </span>
  );
}

/** The same with a button that shows all of it, where no link or label is around it. */
export function ForeignName({ text, max = MAX_CHARS, isPath }: Name) {
  const [whole, setWhole] = useState(false);
  const line = withoutLineBreaks(text);
  if (line.length <= max) return <ForeignText text={line} />;
  return (
    <>
      {whole ? <ForeignText text={line} /> : <ShortName text={text} max={max} isPath={isPath} />}{' '}
      <ShowAll whole={whole} onChange={setWhole} />
    </>
  );
}
