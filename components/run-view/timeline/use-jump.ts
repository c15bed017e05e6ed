'use client';

import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

/** Frames without a change after which a row counts as measured. */
const STILL_FRAMES = 3;
/** Frames after which a jump ends at the latest: two seconds. */
const MAX_FRAMES = 120;

/**
 * Scrolls to rows of a virtual list. Rows on the way have estimated heights until they are shown, so a jump continues
 * until its row no longer moves. Unlike `scrollToIndex`, it can be cancelled: a later jump, `cancel` and the reader end it.
 * In a row that is higher than the view, a jump goes to the text that `within` finds.
 */
export function useJump(list: RefObject<VirtualizerHandle | null>, scroller: RefObject<HTMLElement | null>) {
  const frame = useRef(0);
  const cancel = useCallback(() => cancelAnimationFrame(frame.current), []);
  const jump = useCallback(
    (index: number, align: 'nearest' | 'center', within?: () => Range | undefined) => {
      cancel();
      let still = 0;
      let frames = 0;
      let edge: 'start' | 'center' | 'end' | undefined = align === 'center' ? 'center' : undefined;
      const step = () => {
        const element = scroller.current;
        const rows = list.current;
        if (!element || !rows) return;
        const start = rows.getItemOffset(index);
        const free = rows.viewportSize - rows.getItemSize(index);
        edge ??= start < element.scrollTop ? 'start' : start - free > element.scrollTop ? 'end' : undefined;
        if (!edge) return;
        // Parts of the row that scroll on their own are scrolled to it, too.
        const range = within?.()?.getBoundingClientRect();
        const inRow =
          range && free < 0 ? range.top - element.getBoundingClientRect().top + element.scrollTop : undefined;
        const place =
          inRow === undefined
            ? start - (edge === 'start' ? 0 : edge === 'end' ? free : free / 2)
            : inRow - rows.viewportSize / 2;
        const before = element.scrollTop;
        element.scrollTop = place;
        still = Math.abs(element.scrollTop - before) < 1 ? still + 1 : 0;
        frames += 1;
        if (still < STILL_FRAMES && frames < MAX_FRAMES) frame.current = requestAnimationFrame(step);
      };
      step();
    },
    [cancel, list, scroller],
  );
  useEffect(() => {
    const element = scroller.current;
    const options = { passive: true };
    element?.addEventListener('wheel', cancel, options);
    element?.addEventListener('touchmove', cancel, options);
    return () => {
      cancel();
      element?.removeEventListener('wheel', cancel);
      element?.removeEventListener('touchmove', cancel);
    };
  }, [cancel, scroller]);
  return { jump, cancel };
}
