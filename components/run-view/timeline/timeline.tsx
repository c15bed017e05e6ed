'use client';

import { ArrowDown } from 'lucide-react';
import {
  type ComponentType,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { StoreApi } from 'zustand/vanilla';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import { say } from '#lib/browser/say.ts';
import type { ChatItem } from '#lib/browser/state/chat-items.ts';
import { isDrawn } from '#lib/browser/state/mark-found.ts';
import {
  ALL_ROWS,
  filterRows,
  type RowFilter,
  readRowFilter,
  writeRowFilter,
} from '#lib/browser/state/row-filter.ts';
import { waitingItems } from '#lib/browser/state/waiting-calls.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { rowIndexOfSeq } from '#lib/events/fold-timeline.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { type AddressChange, useAddressQuery } from '../../hooks/use-address-query.ts';
import { usePrinting } from '../../hooks/use-printing.ts';
import { preloadMarkdown } from '../../ui/content/content.tsx';
import { cx } from '../../ui/cx.ts';
import { useRun, useRunSource } from '../run-context.tsx';
import { type Reading, useRunScreen } from '../screen-context.ts';
import { GoBar } from './go-bar.tsx';
import { OutlineStrip } from './outline-strip.tsx';
import { SEARCH_FIELD, SearchBar } from './search-bar.tsx';
import { TimelineBar } from './timeline-bar.tsx';
import { useFollow } from './use-follow.ts';
import { useJump } from './use-jump.ts';
import { foldKeyOf, indexOfRow, useItems, useRunView } from './use-run-view.ts';
import { useTimelineKeys } from './use-timeline-keys.ts';
import type { RunView } from './view-switch.tsx';

export interface TimelineHandle {
  goTo: (seq: number) => void;
  goToEnd: () => void;
  /** Opens the search over the rows. */
  search: () => void;
  /** Opens the bar that asks for the number of an iteration. */
  goToIteration: () => void;
}

/** Why the run ended: after it nothing comes. */
const LAST_ROW = 'article[data-kind="end"]';

/** The run from top to bottom. Only the rows in view are drawn, and the list follows the end until the reader scrolls up. */
export function Timeline({
  handle,
  opensAtTask = false,
  Item,
}: {
  handle: RefObject<TimelineHandle | null>;
  /** Whether the list opens at its first row; otherwise it follows the end. A link to a row comes first. */
  opensAtTask?: boolean;
  /** Draws a row, or a part of a chat. */
  Item: ComponentType<{ item: ChatItem; position: number }>;
}) {
  const store = useRunSource();
  const { reading } = useRunScreen();
  const all = useRun((view) => view.timeline.rows);
  const { filter, problems, changeFilter, find, forgetFind } = useRowFilter();
  const rows = useMemo(() => filterRows(all, filter), [all, filter]);
  const { view, offersChat, setView } = useRunView();
  const chats = view === 'chat' && rows === all;
  const items = useItems(rows, chats ? 'chat' : 'timeline');
  // A row that leaves the screen is taken out, and with it what was entered in its form.
  const keptMounted = useMemo(() => waitingItems(items), [items]);
  const shown = useRef(items);
  shown.current = items;
  const shownRows = useCallback(() => shown.current, []);
  const catchingUp = useRun(
    ({ connection }) => connection.status === 'connecting' || connection.status === 'catching-up',
  );
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { following, settle, setFollowing } = useFollow(scroller, {
    initially: !opensAtTask && wantedSeq() === undefined,
    last: LAST_ROW,
    over: all.at(-1)?.kind === 'end',
  });
  const { jump, cancel } = useJump(list, scroller);
  // What was there when the page opened is not new, wherever a link led to.
  const seenRows = useRef(all.length);
  // A shared page does not know how far its log went when it opened: nothing is new to a reader who never followed it.
  const neverFollowed = useRef(opensAtTask);
  if (following) neverFollowed.current = false;
  if (following || catchingUp || neverFollowed.current || seenRows.current > all.length)
    seenRows.current = all.length;

  const showRow = useCallback(
    (index: number, align: 'nearest' | 'center') => {
      const row = shown.current[index];
      if (!row) return undefined;
      setFollowing(false);
      reading.setState({ cursor: row.key });
      jump(index, align);
      return row;
    },
    [reading, setFollowing, jump],
  );
  const focusRow = useCallback(
    (index: number, align: 'nearest' | 'center' = 'nearest') => {
      const row = showRow(index, align);
      if (row) focusSoon(() => document.getElementById(`row-${row.key}`));
    },
    [showRow],
  );
  /** A row that is filtered out or folded, to jump to once it appears. */
  const hidden = useRef<{ seq: number; focus: boolean }>(undefined);
  const unfold = useCallback(
    (fold: string, seq: number, focus: boolean) => {
      hidden.current = { seq, focus };
      reading.setState(({ unfolded }) => ({ unfolded: { ...unfolded, [fold]: true } }));
    },
    [reading],
  );
  const goTo = useCallback(
    (seq: number) => {
      const { timeline } = store.view.getState();
      const row = timeline.rows[rowIndexOfSeq(timeline, seq) ?? -1];
      if (!row) return;
      const fold = foldKeyOf(shown.current, row);
      if (fold !== undefined) return unfold(fold, seq, true);
      const index = indexOfRow(shown.current, row);
      if (index < 0) {
        hidden.current = { seq, focus: true };
        // If the URL links to a row that its filter hides, replace it, so that Back does not return here.
        changeFilter(ALL_ROWS, { hash: `#${seq}`, replace: wantedSeq() === seq });
        say('Filters cleared: they hid the row you asked for.');
        return;
      }
      // Next treats `replaceState` as a navigation and drops the one under way, so a link clicked while the log still loads
      // would lead nowhere. The router must hear of a new address, or it puts back the one it knows.
      if (wantedSeq() !== seq) history.replaceState(null, '', `#${seq}`);
      focusRow(index, 'center');
    },
    [store, focusRow, changeFilter, unfold],
  );
  /** Shows the row of a search result without taking the focus from the search, and unfolds it if the words are not in sight. */
  const showFound = useCallback(
    (row: TimelineRow, words: readonly string[]) => {
      const index = indexOfRow(shown.current, row);
      const fold = index < 0 ? foldKeyOf(shown.current, row) : undefined;
      if (fold !== undefined) unfold(fold, row.seq, false);
      else showRow(index, 'center');
      unfoldUnlessDrawn(reading, row.key, words);
    },
    [showRow, unfold, reading],
  );
  useEffect(() => {
    const wanted = hidden.current;
    if (wanted === undefined || rows !== all) return;
    hidden.current = undefined;
    if (wanted.focus) return goTo(wanted.seq);
    showRow(
      items.findIndex((item) => item.kind !== 'chat-fold' && item.seq === wanted.seq),
      'center',
    );
  }, [rows, all, items, goTo, showRow]);
  const goToEnd = useCallback(() => {
    cancel();
    setFollowing(true);
    settle();
  }, [cancel, setFollowing, settle]);

  const [searching, setSearching] = useState(false);
  const search = useCallback(() => {
    setSearching(true);
    // It may be open already, with the focus elsewhere.
    document.getElementById(SEARCH_FIELD)?.focus();
  }, []);
  const showMatch = useCallback(
    (index: number, words: readonly string[]) => rows[index] && showFound(rows[index], words),
    [rows, showFound],
  );
  const showChapter = (index: number) => rows[index] && goTo(rows[index].seq);
  const [going, setGoing] = useState(false);
  const goToIteration = useCallback(() => setGoing(true), []);
  const chooseView = (chosen: RunView) => {
    if (chosen === 'chat' && rows !== all) changeFilter(ALL_ROWS);
    setView(chosen);
  };
  const toggleWords = () => {
    const only = filter.kinds.length === 1 && filter.kinds[0] === 'talk';
    changeFilter(only ? ALL_ROWS : { ...ALL_ROWS, kinds: ['talk'] });
    say(only ? 'All rows' : 'Messages only');
  };
  const toggleFailed = () => {
    changeFilter({ ...filter, failed: !filter.failed });
    say(filter.failed ? 'Problems filter off' : 'Problems only');
  };
  const scrub = useCallback(
    (index: number, last: boolean) => {
      if (last) return goToEnd();
      setFollowing(false);
      jump(index, 'center');
    },
    [goToEnd, setFollowing, jump],
  );
  const printing = usePrinting() && all.length <= PRINTED_ROWS;
  useImperativeHandle(handle, () => ({ goTo, goToEnd, search, goToIteration }), [
    goTo,
    goToEnd,
    search,
    goToIteration,
  ]);
  useTimelineKeys({
    shownRows,
    focusRow,
    goToEnd,
    search,
    goToIteration,
    toggleWords,
    toggleFailed,
    toggleFollow: () => (following ? setFollowing(false) : goToEnd()),
  });
  useLayoutEffect(() => {
    // It measures, which makes the browser lay out the page once more.
    if (items.length > 0) settle();
  }, [items, settle]);
  useHash(all, goTo);
  useEffect(preloadMarkdown, []);

  return (
    <>
      <TimelineBar
        filter={filter}
        problems={problems}
        onChange={changeFilter}
        shown={rows === all ? 0 : rows.length}
        view={offersChat ? { chosen: chats ? 'chat' : 'timeline', choose: chooseView } : undefined}
        onSearch={search}
        onGoTo={goToIteration}
      />
      <div className="relative min-h-0 min-w-0 flex-1 print:static">
        <div
          ref={scroller}
          className={cx(
            'absolute inset-0 overflow-y-auto overscroll-contain print:static print:overflow-visible',
            !chats && 'md:right-12',
          )}
        >
          {rows !== all && (
            <p className="hidden pt-2 text-sm text-ink-2 print:block">
              {formatCount(rows.length)} of {formatCount(all.length)} rows: the others are filtered out.
            </p>
          )}
          {rows.length === 0 && all.length > 0 && (
            <p role="status" className="mx-auto max-w-page px-3 py-10 text-ink-2 sm:px-6 md:pl-20">
              No rows match.{' '}
              <button
                type="button"
                className="font-medium text-brass underline-offset-4 hover:underline"
                onClick={() => changeFilter(ALL_ROWS)}
              >
                Show all rows
              </button>
            </p>
          )}
          <section
            className="clickable-rows pt-2 pb-16"
            role="feed"
            aria-label={chats ? 'Chat' : 'Timeline'}
            aria-busy={catchingUp}
          >
            {printing ? (
              items.map((item, index) => <Item key={item.key} item={item} position={index + 1} />)
            ) : (
              <Virtualizer
                ref={list}
                scrollRef={scroller}
                data={items}
                bufferSize={500}
                keepMounted={keptMounted}
                onResize={settle}
              >
                {(item: ChatItem, index: number) => <Item key={item.key} item={item} position={index + 1} />}
              </Virtualizer>
            )}
          </section>
        </div>
        {!chats && <OutlineStrip rows={rows} list={list} scroller={scroller} onScrub={scrub} />}
        {(searching || find !== undefined) && (
          <SearchBar
            key={find}
            rows={rows}
            initial={find}
            area={scroller}
            show={showMatch}
            onClose={() => {
              setSearching(false);
              if (find !== undefined) forgetFind();
              // Back to the rows, at the one that was found.
              const { cursor } = reading.getState();
              if (cursor !== undefined)
                document.getElementById(`row-${cursor}`)?.focus({ preventScroll: true });
            }}
          />
        )}
        {going && <GoBar rows={rows} show={showChapter} onClose={() => setGoing(false)} />}
        {!following && <NewRows count={all.length - seenRows.current} onClick={goToEnd} />}
      </div>
    </>
  );
}

/** The filter and search from the URL. */
function useRowFilter(): {
  filter: RowFilter;
  problems: readonly string[];
  changeFilter: (filter: RowFilter, how?: AddressChange) => void;
  /** The words that a link brought; the search is open on them. */
  find: string | undefined;
  forgetFind: () => void;
} {
  const [query, changeQuery] = useAddressQuery();
  const { filter, problems } = useMemo(() => readRowFilter(query), [query]);
  // The same function for as long as the page is open: a row that a link led to is not gone to again with each choice.
  const latest = useRef(query);
  latest.current = query;
  const changeFilter = useCallback(
    (next: RowFilter, how?: AddressChange) =>
      changeQuery(withoutPlace(writeRowFilter(latest.current, next)), how),
    [changeQuery],
  );
  const find = query.get('find')?.slice(0, MAX_FIND_CHARS) || undefined;
  const forgetFind = useCallback(() => {
    const rest = new URLSearchParams(latest.current);
    rest.delete('find');
    changeQuery(rest, { hash: location.hash, replace: true });
  }, [changeQuery]);
  return { filter, problems, changeFilter, find, forgetFind };
}

const MAX_FIND_CHARS = 500;

/** A link to one row says no more where the reader is, and that row may be one of those that are hidden now. */
function withoutPlace(query: URLSearchParams): URLSearchParams {
  const written = new URLSearchParams(query);
  written.delete('seq');
  return written;
}

/** A button back to the end, with the number of new rows. */
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

/** The event in the URL: `#12`, or `?seq=12` for links that cannot keep a hash. */
function wantedSeq(): number | undefined {
  if (typeof location === 'undefined') return undefined;
  const digits = /^#(\d+)$/.exec(location.hash)?.[1] ?? new URLSearchParams(location.search).get('seq');
  return digits && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

/** Goes to the row of `#seq` once it is there, and whenever the address changes, by Back and Forward too. */
function useHash(rows: readonly TimelineRow[], goTo: (seq: number) => void): void {
  const store = useRunSource();
  const wanted = useRef<number>(undefined);
  /** Increases with every change; the row is scrolled to after its filter has rendered. */
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    wanted.current = wantedSeq();
    const changed = () => {
      wanted.current = wantedSeq();
      setChanges((count) => count + 1);
    };
    // Navigating back to another query fires no hashchange event, even if the hash differs.
    window.addEventListener('popstate', changed);
    window.addEventListener('hashchange', changed);
    return () => {
      window.removeEventListener('popstate', changed);
      window.removeEventListener('hashchange', changed);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows may bring the wanted one, and so may a new address
  useEffect(() => {
    const seq = wanted.current;
    if (seq === undefined || rowIndexOfSeq(store.view.getState().timeline, seq) === undefined) return;
    wanted.current = undefined;
    goTo(seq);
  }, [rows, changes, goTo, store]);
}

/** Frames to wait for a row that is far away to be drawn. */
const MAX_FRAMES = 30;

/** Unfolds a row once it is drawn, if the words are in a part of it that is folded. */
function unfoldUnlessDrawn(
  reading: StoreApi<Reading>,
  key: string,
  words: readonly string[],
  frames = MAX_FRAMES,
): void {
  requestAnimationFrame(() => {
    const row = document.getElementById(`row-${key}`);
    if (!row && frames > 0) return unfoldUnlessDrawn(reading, key, words, frames - 1);
    if (!row || isDrawn(row, words)) return;
    reading.setState(({ unfolded }) => ({ unfolded: { ...unfolded, [key]: true } }));
  });
}
