import type { RefObject } from 'react';

/** Closer to the end than this, in pixels, counts as being at the end. */
const AT_END = 40;
/** A scroll within this time after a wheel, a key or a touch is the reader's. */
const READER_MS = 700;

/** What the reader has done in a scroller. */
export interface Reader {
  /** When they last touched it, by `performance.now()`. */
  at: number;
  /** Whether they have since the last scroll to the end: then nothing is scrolled back up. */
  moved: boolean;
}

/**
 * Watches the reader in a scroller: scrolling up and selecting text end following, and reaching the end resumes it.
 *
 * @param options.follow resumes or ends following
 * @returns stops watching
 */
export function watchReader(
  element: HTMLElement,
  {
    reader,
    isFollowing,
    follow,
  }: { reader: RefObject<Reader>; isFollowing: () => boolean; follow: (following: boolean) => void },
): () => void {
  let before = element.scrollTop;
  let touchedY = 0;
  let wantsUp = false;
  const touch = () => {
    reader.current = { at: performance.now(), moved: true };
  };
  // In a fast run the list grows in the same frame in which it is scrolled up, and ends up lower than before: the
  // direction in which the reader scrolls counts, not only the resulting position.
  const scrollTowards = (up: boolean) => {
    touch();
    wantsUp = up;
    if (up && isFollowing() && element.scrollTop > 0) follow(false);
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
    if (performance.now() - reader.current.at > READER_MS) return;
    const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
    if (up && !atEnd) follow(false);
    else if (!up && !wantsUp && atEnd && !isFollowing()) follow(true);
  };
  const selected = () => {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed && element.contains(selection.anchorNode)) follow(false);
  };
  const watching = new AbortController();
  const options = { passive: true, signal: watching.signal };
  element.addEventListener('scroll', scrolled, options);
  element.addEventListener('pointerdown', touch, options);
  element.addEventListener('wheel', wheeled, options);
  element.addEventListener('keydown', keyed, options);
  element.addEventListener('focusin', entered, options);
  element.addEventListener('touchstart', swiped, options);
  element.addEventListener('touchmove', swiped, options);
  document.addEventListener('selectionchange', selected, options);
  return () => watching.abort();
}
