'use client';

import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { inEachFrame } from '#lib/browser/in-each-frame.ts';
import { say } from '#lib/browser/say.ts';
import { type ChatItem, foldOf } from '#lib/browser/state/chat-items.ts';
import { isDrawn } from '#lib/browser/state/mark-found.ts';
import { ALL_ROWS } from '#lib/browser/state/row-filter.ts';
import { searchRows } from '#lib/browser/state/search-rows.ts';
import { rowIndexOfSeq } from '#lib/events/fold-timeline.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { useRunSource } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';
import type { Follow } from './use-follow.ts';
import { useItemNavigation } from './use-item-navigation.ts';
import { linkedSeq, useLinkedRow } from './use-linked-row.ts';
import type { AddressedRows } from './use-row-filter.ts';
import { foldKeyOf, indexOfRow } from './use-run-view.ts';

export interface RowNavigation {
  /** The items on the page, in their order; the same function for as long as the page is open. */
  shownItems: () => readonly ChatItem[];
  /** Scrolls to an item and focuses it. */
  focusItem: (index: number) => void;
  /** Goes to the row of an event, even if it is filtered out or folded. */
  goTo: (seq: number) => void;
  goToEnd: () => void;
  /** Scrolls along with the outline, without choosing a row. */
  scrub: (index: number, last: boolean) => void;
  /** Call before the filter changes. */
  keepPlace: () => void;
  /** Goes to the row that was in the middle before the filter changed, or to the last one before it that passes. */
  returnToPlace: () => void;
  /** Shows the words of a search result without taking the focus from the search, and unfolds what hides them. */
  showFound: (row: TimelineRow, words: readonly string[]) => void;
}

/** Functions that go to a row of the list. All of them stop following the end, except the one that goes there. */
export function useRowNavigation({
  all,
  rows,
  items,
  changeFilter,
  linkedWords,
  follow,
  list,
  scroller,
}: {
  all: readonly TimelineRow[];
  /** The rows that pass the filter; `all` itself if all pass. */
  rows: readonly TimelineRow[];
  /** The displayed items: the rows, or the chat derived from them. */
  items: readonly ChatItem[];
  changeFilter: AddressedRows['changeFilter'];
  /** The words of the search in the URL: a row in the URL is shown with them. */
  linkedWords: readonly string[];
  follow: Follow;
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
}): RowNavigation {
  const store = useRunSource();
  const { reading } = useRunScreen();
  const { showWords, ...navigation } = useItemNavigation({
    items,
    follow,
    list,
    scroller,
  });
  const { shownItems, focusItem } = navigation;
  /** The event of a row that is filtered out or folded, to jump to once it appears. */
  const hidden = useRef<number>(undefined);
  const openPart = useCallback(
    (key: string | undefined) => {
      if (key === undefined || reading.getState().unfolded[key]) return;
      reading.setState(({ unfolded }) => ({ unfolded: { ...unfolded, [key]: true } }));
    },
    [reading],
  );
  const goTo = useCallback(
    (seq: number) => {
      const { timeline } = store.view.getState();
      const row = timeline.rows[rowIndexOfSeq(timeline, seq) ?? -1];
      if (!row) return;
      const fold = foldKeyOf(shownItems(), row);
      if (fold !== undefined) {
        hidden.current = seq;
        return openPart(fold);
      }
      const index = indexOfRow(shownItems(), row);
      if (index < 0) {
        hidden.current = seq;
        // If the URL links to a row that its filter hides, replace it, so that Back does not return here.
        changeFilter(ALL_ROWS, { hash: `#${seq}`, replace: linkedSeq() === seq });
        say('Filters cleared: they hid the row you asked for.');
        return;
      }
      // Next treats `replaceState` as a navigation and drops the one in progress, so a link clicked while the
      // log still loads would have no effect. The router must learn of a new URL, or it restores the old one.
      if (linkedSeq() !== seq) history.replaceState(null, '', `#${seq}`);
      focusItem(index, 'center');
    },
    [store, shownItems, focusItem, changeFilter, openPart],
  );
  const showFound = useCallback(
    (row: TimelineRow, words: readonly string[]) => {
      // Parts of the row that fold their texts, or have only a part of them, show the words by themselves.
      const isBeyond = searchRows([row], words).length === 0;
      const found = { row: row.key, words, isBeyond, again: () => inEachFrame(look) };
      reading.setState({ found });
      // At once, because the search may be closed before the next frame.
      let shown = indexOfRow(shownItems(), row);
      if (shown >= 0) showWords(shown, words);
      const look = () => {
        if (reading.getState().found !== found) return true;
        const index = indexOfRow(shownItems(), row);
        const item = shownItems()[index];
        if (!item) {
          openPart(foldKeyOf(shownItems(), row));
          return false;
        }
        if (index !== shown) showWords(index, words);
        shown = index;
        const element = document.getElementById(`row-${item.key}`);
        if (!element) return false;
        if (isDrawn(element, words)) {
          showWords(index, words);
          return true;
        }
        // Words that are not in the text of a chat are in the row that it is from.
        openPart(item.key === row.key ? row.key : foldOf(shownItems(), row.key)?.key);
        return false;
      };
      // Once the parts that show the words by themselves have done so.
      inEachFrame(look);
    },
    [shownItems, showWords, openPart, reading],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: an unfolded part brings new items
  useEffect(() => {
    const wanted = hidden.current;
    if (wanted === undefined || rows !== all) return;
    hidden.current = undefined;
    goTo(wanted);
  }, [rows, all, items, goTo]);
  const goToLinked = useCallback(
    (seq: number) => {
      goTo(seq);
      const { timeline } = store.view.getState();
      const row = timeline.rows[rowIndexOfSeq(timeline, seq) ?? -1];
      if (row && linkedWords.length > 0) showFound(row, linkedWords);
    },
    [store, goTo, showFound, linkedWords],
  );
  useLinkedRow(all, goToLinked);
  return { ...navigation, goTo, showFound };
}
