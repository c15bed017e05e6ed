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
  /** It is cut in the middle, since its end says what it is. */
  isPath?: boolean;
}

/** A name, a title or a path that somebody else wrote, on one line and cut where it is long; whole when pointed at. */
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
