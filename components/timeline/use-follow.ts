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
    const touch = () => {
      readerAt.current = performance.now();
    };
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const up = scrollTop < last - 1;
      last = scrollTop;
      if (performance.now() - readerAt.current > READER_MS) return;
      const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
      if (up && !atEnd) setFollowing(false);
      else if (!up && atEnd && !now.current) setFollowing(true);
    };
    const selected = () => {
      const selection = document.getSelection();
      if (selection && !selection.isCollapsed && element.contains(selection.anchorNode)) setFollowing(false);
    };
    const options = { passive: true };
    element.addEventListener('scroll', scrolled, options);
    for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const) {
      element.addEventListener(type, touch, options);
    }
    document.addEventListener('selectionchange', selected);
    return () => {
      element.removeEventListener('scroll', scrolled);
      for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const) {
        element.removeEventListener(type, touch);
      }
      document.removeEventListener('selectionchange', selected);
    };
  }, [scroller, setFollowing]);

  return { following, settle, setFollowing };
}
