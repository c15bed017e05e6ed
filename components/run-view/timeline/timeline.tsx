'use client';

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
import { focusSoon } from '#lib/browser/focus-soon.ts';
import { say } from '#lib/browser/say.ts';
import type { ChatItem } from '#lib/browser/state/chat-items.ts';
import { ALL_ROWS, filterRows, type RowFilter } from '#lib/browser/state/row-filter.ts';
import { queryWords } from '#lib/browser/state/search-rows.ts';
import { waitingItems } from '#lib/browser/state/waiting-calls.ts';
import { usePrinting } from '../../hooks/use-printing.ts';
import { preloadMarkdown } from '../../ui/content/content.tsx';
import { cx } from '../../ui/cx.ts';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';
import { GoBar } from './go-bar.tsx';
import { LeftOutRows } from './left-out-rows.tsx';
import { NewRows, useNewRows } from './new-rows.tsx';
import { OutlineStrip } from './outline-strip.tsx';
import { SEARCH_FIELD, SearchBar } from './search-bar.tsx';
import { TimelineBar } from './timeline-bar.tsx';
import { useFollow } from './use-follow.ts';
import { linkedSeq, useLinkedIndex } from './use-linked-row.ts';
import { useRowFilter } from './use-row-filter.ts';
import { useRowNavigation } from './use-row-navigation.ts';
import { useItems, useRunView } from './use-run-view.ts';
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

/** Says why the run ended: no row follows it. */
const LAST_ROW = 'article[data-kind="end"]';

/** A printed run has all its rows, up to a number that a browser can lay out. */
const PRINTED_ROWS = 3000;

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
  const { reading } = useRunScreen();
  const all = useRun((view) => view.timeline.rows);
  const { filter, problems, changeFilter, find, forgetFind } = useRowFilter();
  const rows = useMemo(() => filterRows(all, filter), [all, filter]);
  const { view, offersChat, setView } = useRunView();
  const chats = view === 'chat' && rows === all;
  const items = useItems(rows, chats ? 'chat' : 'timeline');
  // A row that leaves the screen is taken out, and with it what was entered in its form.
  const keptMounted = useMemo(() => waitingItems(items), [items]);
  const catchingUp = useRun(
    ({ connection }) => connection.status === 'connecting' || connection.status === 'catching-up',
  );
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const follow = useFollow(scroller, {
    initially: !opensAtTask && linkedSeq() === undefined,
    last: LAST_ROW,
    over: all.at(-1)?.kind === 'end',
  });
  const { following, settle, setFollowing } = follow;
  const newRows = useNewRows(all.length, { following, catchingUp, opensAtTask });
  const linkedWords = useMemo(() => queryWords(find ?? ''), [find]);
  const linkedIndex = useLinkedIndex(rows);
  const { shownItems, focusItem, goTo, goToEnd, scrub, showFound, keepPlace, returnToPlace } =
    useRowNavigation({
      all,
      rows,
      items,
      changeFilter,
      linkedWords,
      follow,
      list,
      scroller,
    });

  const chooseFilter = (chosen: RowFilter) => {
    keepPlace();
    changeFilter(chosen);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the filter
  useLayoutEffect(returnToPlace, [filter, returnToPlace]);

  const [searching, setSearching] = useState(false);
  const opener = useRef<HTMLElement>(null);
  const search = useCallback(() => {
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && focused.id !== SEARCH_FIELD) opener.current = focused;
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
  const showAll = () => {
    chooseFilter(ALL_ROWS);
    // The button disappears when it is pressed.
    focusSoon(() => scroller.current?.querySelector<HTMLElement>('article'));
  };
  const printing = usePrinting() && all.length <= PRINTED_ROWS;
  useImperativeHandle(handle, () => ({ goTo, goToEnd, search, goToIteration }), [
    goTo,
    goToEnd,
    search,
    goToIteration,
  ]);
  useTimelineKeys({
    shownItems,
    focusItem,
    goToEnd,
    search,
    goToIteration,
    ...filterKeys(filter, chooseFilter),
    toggleFollow: () => (following ? setFollowing(false) : goToEnd()),
  });
  useLayoutEffect(() => {
    // It measures, which makes the browser lay out the page once more.
    if (items.length > 0) settle();
  }, [items, settle]);
  useEffect(preloadMarkdown, []);

  return (
    <>
      <TimelineBar
        filter={filter}
        problems={problems}
        onChange={chooseFilter}
        shown={rows === all ? 0 : rows.length}
        view={offersChat ? { chosen: chats ? 'chat' : 'timeline', choose: chooseView } : undefined}
        onSearch={search}
        onGoTo={goToIteration}
      />
      <div className="relative min-h-0 min-w-0 flex-1 short:min-h-48 print:static">
        <div
          ref={scroller}
          className={cx(
            'absolute inset-0 overflow-y-auto overscroll-contain short:overscroll-auto print:static print:overflow-visible',
            !chats && 'md:right-12',
          )}
        >
          <LeftOutRows shown={rows.length} all={all.length} onShowAll={showAll} />
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
            linked={find === undefined ? undefined : linkedIndex}
            area={scroller}
            show={showMatch}
            onClose={() => {
              setSearching(false);
              reading.setState({ found: undefined });
              if (find !== undefined) forgetFind();
              // Returns to the rows, at the found row, which may be too far away to be drawn yet.
              const { cursor } = reading.getState();
              focusSoon(() =>
                cursor === undefined ? opener.current : document.getElementById(`row-${cursor}`),
              );
            }}
          />
        )}
        {going && <GoBar rows={rows} show={showChapter} onClose={() => setGoing(false)} />}
        {!following && <NewRows count={newRows} onClick={goToEnd} />}
      </div>
    </>
  );
}

/** The keys for filters: once to set a filter, again to clear it. */
function filterKeys(filter: RowFilter, changeFilter: (filter: RowFilter) => void) {
  return {
    toggleWords: () => {
      const only = filter.kinds.length === 1 && filter.kinds[0] === 'talk';
      changeFilter(only ? ALL_ROWS : { ...ALL_ROWS, kinds: ['talk'] });
      say(only ? 'All rows' : 'Messages only');
    },
    toggleFailed: () => {
      changeFilter({ ...filter, failed: !filter.failed });
      say(filter.failed ? 'Problems filter off' : 'Problems only');
    },
  };
}
