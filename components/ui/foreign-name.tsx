'use client';

import { useState } from 'react';
import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { plainVisibleLine, withoutLineBreaks } from '#lib/browser/words/visible-text.ts';
import { shortMiddle, shortText } from '#lib/util/short-text.ts';
import { ForeignText } from './foreign-text.tsx';
import { useFound } from './found-words.ts';
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
      <ForeignText text={shortened({ text: line, max, isPath })} />
    </span>
  );
}

function shortened({ text, max, isPath }: Required<Name>): string {
  return isPath ? shortMiddle(text, max) : shortText(text, max);
}

/** The same with a button that shows all of it, where no link or label is around it. */
export function ForeignName({ text, max = MAX_CHARS, isPath = false }: Name) {
  const [whole, setWhole] = useState(false);
  const line = withoutLineBreaks(text);
  useFound((words) => {
    if (lacksFound(shortened({ text: line, max, isPath }), line, words)) setWhole(true);
  });
  if (line.length <= max) return <ForeignText text={line} />;
  return (
    <>
      {whole ? <ForeignText text={line} /> : <ShortName text={text} max={max} isPath={isPath} />}{' '}
      <ShowAll whole={whole} onChange={setWhole} />
    </>
  );
}
