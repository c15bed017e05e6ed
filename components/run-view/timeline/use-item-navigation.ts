'use client';

import { type RefObject, useCallback, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import type { ChatItem } from '#lib/browser/state/chat-items.ts';
import { firstFound } from '#lib/browser/state/mark-found.ts';
import { useRunScreen } from '../screen-context.ts';
import type { Follow } from './use-follow.ts';
import { useJump } from './use-jump.ts';

/**
 * Functions that go to an item of the list by its position. All of them stop following the end, except the one that goes
 * there.
 */
export function useItemNavigation({
  items,
  follow: { following, settle, setFollowing },
  list,
  scroller,
}: {
  items: readonly ChatItem[];
  follow: Follow;
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
}) {
  const { reading } = useRunScreen();
  const shown = useRef(items);
  shown.current = items;
  const shownItems = useCallback(() => shown.current, []);
  const { jump, cancel } = useJump(list, scroller);

  const showItem = useCallback(
    (index: number, align: 'nearest' | 'center', within?: () => Range | undefined) => {
      const item = shown.current[index];
      if (!item) return undefined;
      setFollowing(false);
      reading.setState({ cursor: item.key });
      jump(index, align, within);
      return item;
    },
    [reading, setFollowing, jump],
  );
  const showWords = useCallback(
    (index: number, words: readonly string[]) => {
      const key = shown.current[index]?.key;
      showItem(index, 'center', () => {
        const row = document.getElementById(`row-${key}`);
        return row ? firstFound(row, words) : undefined;
      });
    },
    [showItem],
  );
  const focusItem = useCallback(
    (index: number, align: 'nearest' | 'center' = 'nearest') => {
      const item = showItem(index, align);
      if (item) focusSoon(() => document.getElementById(`row-${item.key}`));
    },
    [showItem],
  );
  const goToEnd = useCallback(() => {
    cancel();
    setFollowing(true);
    settle();
  }, [cancel, setFollowing, settle]);
  const scrub = useCallback(
    (index: number, last: boolean) => {
      if (last) return goToEnd();
      setFollowing(false);
      jump(index, 'center');
    },
    [goToEnd, setFollowing, jump],
  );
  /** The event in the middle of the view before the filter changed. */
  const place = useRef<number>(undefined);
  const keepPlace = useCallback(() => {
    const rows = list.current;
    if (!rows || following) return;
    const middle = rows.findItemIndex(rows.scrollOffset + rows.viewportSize / 2);
    place.current = shown.current[middle]?.seq ?? place.current;
  }, [list, following]);
  const returnToPlace = useCallback(() => {
    const wanted = place.current;
    if (wanted === undefined || shown.current.length === 0) return;
    place.current = undefined;
    jump(
      Math.max(
        0,
        shown.current.findLastIndex(({ seq }) => seq <= wanted),
      ),
      'center',
    );
  }, [jump]);
  return { shownItems, showWords, focusItem, goToEnd, scrub, keepPlace, returnToPlace };
}
