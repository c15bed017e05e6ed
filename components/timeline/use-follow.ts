'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Closer to the end than this, in pixels, counts as being at the end. */
const AT_END = 40;
/** A scroll within this time after a wheel, a key or a touch is the reader's. */
const READER_MS = 700;

export interface Follow {
  following: boolean;
  /** Call when rows were added or have grown. */
  settle: () => void;
  setFollowing: (following: boolean) => void;
}

/**
 * Keeps a scroller at its end while the reader lets it: scrolling up or selecting text lets go, reaching the end again
 * takes hold.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, initially: boolean): Follow {
  const [following, setState] = useState(initially);
  const now = useRef(initially);
  const readerAt = useRef(0);

  const setFollowing = useCallback((value: boolean) => {
    now.current = value;
    setState(value);
  }, []);

  const settle = useCallback(() => {
    const element = scroller.current;
    if (element && now.current) element.scrollTop = element.scrollHeight;
  }, [scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let last = element.scrollTop;
    let touchedY = 0;
    let wantsUp = false;
    const touch = () => {
      readerAt.current = performance.now();
    };
    // In a fast run the list grows within the very frame in which it is scrolled up, and stands lower than before:
    // where the reader wants to go counts, not only where the list came to stand.
    const letGo = (up: boolean) => {
      touch();
      wantsUp = up;
      if (up && now.current && element.scrollTop > 0) setFollowing(false);
    };
    const wheeled = (event: WheelEvent) => letGo(event.deltaY < 0);
    const keyed = (event: KeyboardEvent) => letGo(['ArrowUp', 'PageUp', 'Home'].includes(event.key));
    const swiped = (event: TouchEvent) => {
      const y = event.touches[0]?.clientY ?? 0;
      letGo(event.type === 'touchmove' && y > touchedY + 1);
      touchedY = y;
    };
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const up = scrollTop < last - 1;
      last = scrollTop;
      if (performance.now() - readerAt.current > READER_MS) return;
      const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
      if (up && !atEnd) setFollowing(false);
      else if (!up && !wantsUp && atEnd && !now.current) setFollowing(true);
    };
    const selected = () => {
      const selection = document.getSelection();
      if (selection && !selection.isCollapsed && element.contains(selection.anchorNode)) setFollowing(false);
    };
    const options = { passive: true };
    element.addEventListener('scroll', scrolled, options);
    element.addEventListener('pointerdown', touch, options);
    element.addEventListener('wheel', wheeled, options);
    element.addEventListener('keydown', keyed, options);
    element.addEventListener('touchstart', swiped, options);
    element.addEventListener('touchmove', swiped, options);
    document.addEventListener('selectionchange', selected);
    return () => {
      element.removeEventListener('scroll', scrolled);
      element.removeEventListener('pointerdown', touch);
      element.removeEventListener('wheel', wheeled);
      element.removeEventListener('keydown', keyed);
      element.removeEventListener('touchstart', swiped);
      element.removeEventListener('touchmove', swiped);
      document.removeEventListener('selectionchange', selected);
    };
  }, [scroller, setFollowing]);

  return { following, settle, setFollowing };
}
