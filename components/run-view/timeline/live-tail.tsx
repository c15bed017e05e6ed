'use client';

import { ANSI, hasColors, PLAIN } from '#lib/browser/content/content-kind.ts';
import type { LiveText } from '#lib/browser/state/live-text.ts';
import { Content } from '../../ui/content/content.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';

const TAIL_CHARS = 3000;

/** The end of live text: enough to follow, small enough to render every frame. */
export function LiveTail({ live }: { live: LiveText }) {
  const { text, isCut } = tailOf(live);
  return (
    <>
      {isCut && <span className="text-ink-3">… </span>}
      <ForeignText text={text} />
    </>
  );
}

/** The same of what a program prints, in its colors. */
export function LiveOutput({ live }: { live: LiveText }) {
  const { text, isCut } = tailOf(live);
  return (
    <>
      {isCut && <span className="text-ink-3">… </span>}
      <Content text={text} kind={hasColors(text) ? ANSI : PLAIN} />
    </>
  );
}

function tailOf({ text, start }: LiveText): { text: string; isCut: boolean } {
  if (text.length <= TAIL_CHARS) return { text, isCut: start > 0 };
  const lineStart = text.indexOf('\n', text.length - TAIL_CHARS) + 1;
  return { text: text.slice(lineStart === 0 ? text.length - TAIL_CHARS : lineStart), isCut: true };
}
