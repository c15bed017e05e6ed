'use client';

import { ArrowDown } from 'lucide-react';
import {
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { plural } from '#lib/browser/format.ts';
import { rowIndexOfSeq, type TimelineRow } from '#lib/events/fold-timeline.ts';
import { useRun, useRunScreen } from '../run/run-context.tsx';
import { SearchBar } from './search-bar.tsx';
import { TimelineItem } from './timeline-item.tsx';
import { useFollow } from './use-follow.ts';
import { useTimelineKeys } from './use-timeline-keys.ts';

export interface TimelineHandle {
  goTo: (seq: number) => void;
  goToEnd: () => void;
  /** Opens the search over the rows. */
  search: () => void;
}

/** The run from top to bottom: only the rows in view are drawn, and it follows the end while the reader lets it. */
export function Timeline({ handle }: { handle: RefObject<TimelineHandle | null> }) {
  const { store, reading } = useRunScreen();
  const rows = useRun((view) => view.timeline.rows);
  const catchingUp = useRun(
    ({ connection }) => connection.status === 'connecting' || connection.status === 'catching-up',
  );
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { following, settle, setFollowing } = useFollow(scroller, initiallyFollows());
  const seenRows = useRef(0);
  if (following || seenRows.current > rows.length) seenRows.current = rows.length;

  const focusRow = useCallback(
    (index: number, align: 'nearest' | 'center' = 'nearest') => {
      const row = store.view.getState().timeline.rows[index];
      if (!row) return;
      setFollowing(false);
      reading.setState({ cursor: row.key });
      list.current?.scrollToIndex(index, { align });
      focusSoon(`row-${row.key}`);
    },
    [store, reading, setFollowing],
  );
  const goTo = useCallback(
    (seq: number) => {
      const index = rowIndexOfSeq(store.view.getState().timeline, seq);
      if (index === undefined) return;
      history.replaceState(null, '', `#${seq}`);
      focusRow(index, 'center');
    },
    [store, focusRow],
  );
  // Not by `scrollToIndex`: it tries again until its row is measured, and would pull back from rows that came meanwhile.
  const goToEnd = useCallback(() => {
    setFollowing(true);
    settle();
  }, [setFollowing, settle]);

  const [searching, setSearching] = useState(false);
  const search = useCallback(() => setSearching(true), []);
  const showFound = useCallback(
    (index: number) => {
      const row = store.view.getState().timeline.rows[index];
      if (!row) return;
      setFollowing(false);
      reading.setState({ cursor: row.key });
      list.current?.scrollToIndex(index, { align: 'center' });
    },
    [store, reading, setFollowing],
  );
  const printing = usePrinting();
  useImperativeHandle(handle, () => ({ goTo, goToEnd, search }), [goTo, goToEnd, search]);
  useTimelineKeys({
    focusRow,
    goToEnd,
    search,
    toggleFollow: () => (following ? setFollowing(false) : goToEnd()),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows are what it settles after
  useLayoutEffect(() => {
    settle();
  }, [rows, settle]);
  useHash(rows, goTo);

  return (
    <div className="relative min-h-0 min-w-0 flex-1 print:static">
      <div
        ref={scroller}
        className="absolute inset-0 overflow-y-auto overscroll-contain print:static print:overflow-visible"
      >
        <section className="pt-2 pb-16" role="feed" aria-label="Timeline" aria-busy={catchingUp}>
          {printing ? (
            rows.map((row, index) => <TimelineItem key={row.key} row={row} position={index + 1} />)
          ) : (
            <Virtualizer ref={list} scrollRef={scroller} data={rows} bufferSize={500} onResize={settle}>
              {(row: TimelineRow, index: number) => (
                <TimelineItem key={row.key} row={row} position={index + 1} />
              )}
            </Virtualizer>
          )}
        </section>
      </div>
      {searching && <SearchBar show={showFound} onClose={() => setSearching(false)} />}
      {!following && <NewRows count={rows.length - seenRows.current} onClick={goToEnd} />}
    </div>
  );
}

/** Back to the end; says how much came since the reader looked away. */
function NewRows({ count, onClick }: { count: number; onClick: () => void }) {
  const running = useRun((view) => view.run.phase !== 'ended');
  if (count === 0 && !running) return null;
  return (
    <button
      type="button"
      onClick={onClick}
      className="tnum print:hidden absolute bottom-4 left-1/2 flex -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3.5 py-1.5 text-sm font-medium shadow-lg hover:border-ink-3"
    >
      <ArrowDown className="size-3.5" aria-hidden="true" />
      {count > 0 ? plural(count, 'new row') : 'Follow'}
    </button>
  );
}

/** A printed run has all its rows, up to a number that a browser can lay out. */
const PRINTED_ROWS = 3000;

/** Whether the page is being printed: then every row is drawn, not only those in view. */
function usePrinting(): boolean {
  const { store } = useRunScreen();
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const before = () => {
      if (store.view.getState().timeline.rows.length <= PRINTED_ROWS) flushSync(() => setPrinting(true));
    };
    const after = () => setPrinting(false);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [store]);
  return printing;
}

/** A deep link is not followed away from. */
function initiallyFollows(): boolean {
  return typeof location === 'undefined' || !/^#\d+$/.test(location.hash);
}

/** Goes to the row of `#seq` once it is there, and whenever the address changes. */
function useHash(rows: readonly TimelineRow[], goTo: (seq: number) => void): void {
  const { store } = useRunScreen();
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    const read = () => {
      const [, digits] = /^#(\d+)$/.exec(location.hash) ?? [];
      wanted.current = digits === undefined ? undefined : Number(digits);
      const seq = wanted.current;
      if (seq !== undefined && rowIndexOfSeq(store.view.getState().timeline, seq) !== undefined) {
        wanted.current = undefined;
        goTo(seq);
      }
    };
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, [goTo, store]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows may bring the wanted one
  useEffect(() => {
    const seq = wanted.current;
    if (seq === undefined || rowIndexOfSeq(store.view.getState().timeline, seq) === undefined) return;
    wanted.current = undefined;
    goTo(seq);
  }, [rows, goTo, store]);
}

/** Focuses a row as soon as the list has drawn it: until it is measured it is hidden and takes no focus. */
function focusSoon(id: string): void {
  let frames = 0;
  const look = () => {
    const element = document.getElementById(id);
    element?.focus({ preventScroll: true });
    frames += 1;
    if (document.activeElement !== element && frames < 60) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
