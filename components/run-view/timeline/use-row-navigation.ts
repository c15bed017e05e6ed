'use client';

import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { StoreApi } from 'zustand/vanilla';
import { say } from '#lib/browser/say.ts';
import type { ChatItem } from '#lib/browser/state/chat-items.ts';
import { isDrawn } from '#lib/browser/state/mark-found.ts';
import { ALL_ROWS } from '#lib/browser/state/row-filter.ts';
import { rowIndexOfSeq } from '#lib/events/fold-timeline.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { useRunSource } from '../run-context.tsx';
import { type Reading, useRunScreen } from '../screen-context.ts';
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
  /**
   * Shows the row of a search result without taking the focus from the search, and unfolds it if the words are not
   * visible.
   */
  showFound: (row: TimelineRow, words: readonly string[]) => void;
}

/** A row that does not appear yet. */
interface HiddenRow {
  readonly seq: number;
  readonly focus: boolean;
  /** The words of a search to show in it. */
  readonly words?: readonly string[];
}

/** Functions that go to a row of the list. All of them stop following the end, except the one that goes there. */
export function useRowNavigation({
  all,
  rows,
  items,
  changeFilter,
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
  follow: Follow;
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
}): RowNavigation {
  const store = useRunSource();
  const { reading } = useRunScreen();
  const { shownItems, showWords, focusItem, goToEnd, scrub } = useItemNavigation({
    items,
    follow,
    list,
    scroller,
  });
  /** A row that is filtered out or folded, to jump to once it appears. */
  const hidden = useRef<HiddenRow>(undefined);
  const unfold = useCallback(
    (fold: string, row: HiddenRow) => {
      hidden.current = row;
      reading.setState(({ unfolded }) => ({ unfolded: { ...unfolded, [fold]: true } }));
    },
    [reading],
  );
  const goTo = useCallback(
    (seq: number) => {
      const { timeline } = store.view.getState();
      const row = timeline.rows[rowIndexOfSeq(timeline, seq) ?? -1];
      if (!row) return;
      const fold = foldKeyOf(shownItems(), row);
      if (fold !== undefined) return unfold(fold, { seq, focus: true });
      const index = indexOfRow(shownItems(), row);
      if (index < 0) {
        hidden.current = { seq, focus: true };
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
    [store, shownItems, focusItem, changeFilter, unfold],
  );
  const showFound = useCallback(
    (row: TimelineRow, words: readonly string[]) => {
      const index = indexOfRow(shownItems(), row);
      const fold = index < 0 ? foldKeyOf(shownItems(), row) : undefined;
      if (fold !== undefined) unfold(fold, { seq: row.seq, focus: false, words });
      else showWords(index, words);
      unfoldUnlessDrawn(reading, row.key, words, () => showWords(indexOfRow(shownItems(), row), words));
    },
    [shownItems, showWords, unfold, reading],
  );
  useEffect(() => {
    const wanted = hidden.current;
    if (wanted === undefined || rows !== all) return;
    hidden.current = undefined;
    if (wanted.focus) return goTo(wanted.seq);
    showWords(
      items.findIndex((item) => item.kind !== 'chat-fold' && item.seq === wanted.seq),
      wanted.words ?? [],
    );
  }, [rows, all, items, goTo, showWords]);
  useLinkedRow(all, goTo);
  return { shownItems, focusItem, goTo, goToEnd, scrub, showFound };
}

/** Frames to wait for a row that is far away to be drawn. */
const MAX_FRAMES = 30;

/** Unfolds a row once it is drawn, if the words are in a folded part of it, and then shows it again. */
function unfoldUnlessDrawn(
  reading: StoreApi<Reading>,
  key: string,
  words: readonly string[],
  again: () => void,
  frames = MAX_FRAMES,
): void {
  requestAnimationFrame(() => {
    const row = document.getElementById(`row-${key}`);
    if (!row && frames > 0) return unfoldUnlessDrawn(reading, key, words, again, frames - 1);
    if (!row || isDrawn(row, words)) return;
    reading.setState(({ unfolded }) => ({ unfolded: { ...unfolded, [key]: true } }));
    again();
  });
}
