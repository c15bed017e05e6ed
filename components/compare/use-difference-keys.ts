'use client';

import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import { isDialogOpen, isTyping } from '#lib/browser/typing.ts';

/** Keyboard targets: the iterations that differ. Only those near the viewport are rendered. */
interface Places {
  list: RefObject<HTMLElement | null>;
  /** Positions of the iterations that differ, in order. */
  positions: readonly number[];
  /** Brings an iteration into the view. */
  show: (position: number) => void;
}

/**
 * `j` and `k` go to the next and the previous iteration that differs, `n` to the next difference within and beyond it.
 * Ignored while typing and with other modifier keys.
 *
 * @returns goes to an iteration, as a link to it does
 */
export function useDifferenceKeys(places: Places): (position: number) => void {
  const { list, show } = places;
  const now = useRef(places);
  now.current = places;
  /** The last iteration that the keyboard was at: the list unmounts those that are far from the view. */
  const last = useRef<number>(undefined);

  const goTo = useCallback(
    (position: number, difference = false) => {
      last.current = position;
      show(position);
      focusSoon(() => {
        const step = list.current?.querySelector<HTMLElement>(`#step-${position}`);
        return (difference && step?.querySelector<HTMLElement>('[data-difference]')) || step;
      });
    },
    [list, show],
  );

  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
      if (!['j', 'k', 'n'].includes(event.key)) return;
      const { positions } = now.current;
      const at = document.activeElement;
      const row = list.current?.contains(at) ? at?.closest<HTMLElement>('[data-at]') : undefined;
      const here = row ? Number(row.dataset.at) : at === document.body ? (last.current ?? 0) : 0;
      if (event.key === 'n') {
        const within = [...(row?.querySelectorAll<HTMLElement>('[data-difference]') ?? [])].find((each) =>
          isAfter(each, at),
        );
        if (within) {
          within.focus({ preventScroll: true });
          within.scrollIntoView({ block: 'start' });
          event.preventDefault();
          return;
        }
      }
      const next =
        event.key === 'k' ? positions.findLast((each) => each < here) : positions.find((each) => each > here);
      if (next === undefined) return;
      goTo(next, event.key === 'n');
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [list, goTo]);

  return goTo;
}

function isAfter(element: HTMLElement, at: Element | null): boolean {
  if (!at) return true;
  return element !== at && (at.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
