'use client';

import type { LiveText } from '#lib/browser/state/live-text.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';

const TAIL_CHARS = 3000;

/** The end of live text: enough to follow, small enough to render every frame. */
export function LiveTail({ live }: { live: LiveText }) {
  const from = live.text.length > TAIL_CHARS ? live.text.indexOf('\n', live.text.length - TAIL_CHARS) + 1 : 0;
  const start = from === 0 && live.text.length > TAIL_CHARS ? live.text.length - TAIL_CHARS : from;
  return (
    <>
      {(start > 0 || live.start > 0) && <span className="text-ink-3">… </span>}
      <ForeignText text={live.text.slice(start)} />
    </>
  );
}
