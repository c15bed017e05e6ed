'use client';

import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { announced, said } from '#lib/browser/say.ts';
import { plainVisibleText } from '#lib/browser/words/visible-text.ts';
import { cx } from './cx.ts';

const SHOWN_MS = 3000;
/** Longer messages stay visible longer. */
const READING_MS_PER_CHAR = 60;

/**
 * What was said and announced since it was mounted. Each open dialog has its own, as screen readers cannot reach the page
 * behind a modal dialog.
 */
export function Announcements() {
  return (
    <>
      <Said />
      <Announced />
    </>
  );
}

/** Shows the effect of a key or a click for a moment at the lower edge. */
function Said() {
  const { words, count } = useNew(said);
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (count === 0) return;
    setShown(true);
    const timer = setTimeout(() => setShown(false), SHOWN_MS + words.length * READING_MS_PER_CHAR);
    return () => clearTimeout(timer);
  }, [count, words]);
  return (
    <p
      role="status"
      className={cx(
        'pointer-events-none fixed bottom-5 left-5 z-40 max-w-[calc(100vw-2.5rem)] rounded-md bg-ink px-3 py-2 text-sm font-medium text-canvas shadow-lg transition-opacity print:hidden',
        shown ? 'opacity-100' : 'opacity-0',
      )}
    >
      {/* Screen readers only speak new elements, so the same text twice needs two elements. */}
      {shown && <span key={count}>{plainVisibleText(words)}</span>}
    </p>
  );
}

function Announced() {
  const { words, count } = useNew(announced);
  return (
    <p aria-live="polite" className="sr-only">
      <span key={count}>{words}</span>
    </p>
  );
}

/** The last announcement, with how many there were since the first rendering. */
function useNew(store: typeof said): { words: string; count: number } {
  const { words, count } = useStore(store);
  const [before] = useState(count);
  return count === before ? { words: '', count: 0 } : { words, count: count - before };
}
