'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type Reader, watchReader } from './watch-reader.ts';

/** The space above the last row when its beginning is shown, in pixels. */
const ABOVE_LAST = 12;

export interface Follow {
  following: boolean;
  /** Call when rows were added or have grown. */
  settle: () => void;
  setFollowing: (following: boolean) => void;
}

/**
 * Keeps a scroller at its end until the reader scrolls up or selects text, and again once the end is reached. If the
 * last row is higher than the scroller, its beginning is shown, which says why the run ended. After that row nothing
 * new can follow, and the list does not move when a reader unfolds a row.
 *
 * @param options.last finds the row that ends the list for good
 * @param options.over whether that row has arrived
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  { initially, last, over }: { initially: boolean; last: string; over: boolean },
): Follow {
  const [following, setState] = useState(initially);
  const now = useRef(initially);
  const reader = useRef<Reader>({ at: Number.NEGATIVE_INFINITY, moved: false });
  const isOver = useRef(over);
  if (isOver.current !== over) reader.current.moved = false;
  isOver.current = over;

  const change = useCallback((value: boolean) => {
    now.current = value;
    setState(value);
  }, []);
  const setFollowing = useCallback(
    (value: boolean) => {
      // A scroll to a requested row is not the reader's own, even if it stops near the end.
      reader.current = { at: Number.NEGATIVE_INFINITY, moved: false };
      change(value);
    },
    [change],
  );

  const settle = useCallback(() => {
    const element = scroller.current;
    if (!element || !now.current || (isOver.current && reader.current.moved)) return;
    const end = element.querySelector(last);
    const beginning = end
      ? element.scrollTop + end.getBoundingClientRect().top - element.getBoundingClientRect().top - ABOVE_LAST
      : Number.POSITIVE_INFINITY;
    const place = Math.min(element.scrollHeight, beginning);
    if (place > element.scrollTop || !reader.current.moved) element.scrollTop = place;
  }, [scroller, last]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    return watchReader(element, { reader, isFollowing: () => now.current, follow: change });
  }, [scroller, change]);

  return { following, settle, setFollowing };
}
