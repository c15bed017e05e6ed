'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Closer to the end than this, in pixels, counts as being at the end. */
const AT_END = 40;
/** A scroll within this time after a wheel, a key or a touch is the reader's. */
const READER_MS = 700;
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
  const readerAt = useRef(Number.NEGATIVE_INFINITY);
  /** Whether the reader has scrolled since the last scroll to the end: then nothing is scrolled back up. */
  const readerMoved = useRef(false);
  const isOver = useRef(over);
  if (isOver.current !== over) readerMoved.current = false;
  isOver.current = over;

  const change = useCallback((value: boolean) => {
    now.current = value;
    setState(value);
  }, []);
  const setFollowing = useCallback(
    (value: boolean) => {
      // A scroll to a requested row is not the reader's own, even if it stops near the end.
      readerAt.current = Number.NEGATIVE_INFINITY;
      readerMoved.current = false;
      change(value);
    },
    [change],
  );

  const settle = useCallback(() => {
    const element = scroller.current;
    if (!element || !now.current || (isOver.current && readerMoved.current)) return;
    const end = element.querySelector(last);
    const beginning = end
      ? element.scrollTop + end.getBoundingClientRect().top - element.getBoundingClientRect().top - ABOVE_LAST
      : Number.POSITIVE_INFINITY;
    const place = Math.min(element.scrollHeight, beginning);
    if (place > element.scrollTop || !readerMoved.current) element.scrollTop = place;
  }, [scroller, last]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let before = element.scrollTop;
    let touchedY = 0;
    let wantsUp = false;
    const touch = () => {
      readerAt.current = performance.now();
      readerMoved.current = true;
    };
    // In a fast run the list grows in the same frame in which it is scrolled up, and ends up lower than before: the
    // direction in which the reader scrolls counts, not only the resulting position.
    const scrollTowards = (up: boolean) => {
      touch();
      wantsUp = up;
      if (up && now.current && element.scrollTop > 0) change(false);
    };
    const wheeled = (event: WheelEvent) => scrollTowards(event.deltaY < 0);
    const keyed = (event: KeyboardEvent) => scrollTowards(['ArrowUp', 'PageUp', 'Home'].includes(event.key));
    const swiped = (event: TouchEvent) => {
      const y = event.touches[0]?.clientY ?? 0;
      scrollTowards(event.type === 'touchmove' && y > touchedY + 1);
      touchedY = y;
    };
    // A browser scrolls to what Tab focuses; the list gets no key event if Tab was pressed outside it.
    const entered = ({ relatedTarget: from }: FocusEvent) => {
      if (from instanceof Node && !element.contains(from)) touch();
    };
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const up = scrollTop < before - 1;
      before = scrollTop;
      if (performance.now() - readerAt.current > READER_MS) return;
      const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
      if (up && !atEnd) change(false);
      else if (!up && !wantsUp && atEnd && !now.current) change(true);
    };
    const selected = () => {
      const selection = document.getSelection();
      if (selection && !selection.isCollapsed && element.contains(selection.anchorNode)) change(false);
    };
    const options = { passive: true };
    element.addEventListener('scroll', scrolled, options);
    element.addEventListener('pointerdown', touch, options);
    element.addEventListener('wheel', wheeled, options);
    element.addEventListener('keydown', keyed, options);
    element.addEventListener('focusin', entered, options);
    element.addEventListener('touchstart', swiped, options);
    element.addEventListener('touchmove', swiped, options);
    document.addEventListener('selectionchange', selected);
    return () => {
      element.removeEventListener('scroll', scrolled);
      element.removeEventListener('pointerdown', touch);
      element.removeEventListener('wheel', wheeled);
      element.removeEventListener('keydown', keyed);
      element.removeEventListener('focusin', entered);
      element.removeEventListener('touchstart', swiped);
      element.removeEventListener('touchmove', swiped);
      document.removeEventListener('selectionchange', selected);
    };
  }, [scroller, change]);

  return { following, settle, setFollowing };
}
