'use client';

import { ChevronDown, ChevronUp, X } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { markFound } from '#lib/browser/state/mark-found.ts';
import type { CutTextsFound } from '#lib/browser/state/search-cut-texts.ts';
import { cutsOf, queryWords, searchRows } from '#lib/browser/state/search-rows.ts';
import { isComposing } from '#lib/browser/typing.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { useLatched } from '../../hooks/use-latched.ts';
import { useLatest } from '../../hooks/use-latest.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useRunScreen } from '../screen-context.ts';

/** The ID of its field. */
export const SEARCH_FIELD = 'search-in-run';

const button =
  'grid size-8 shrink-0 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink disabled:text-ink-3';

/**
 * Searches rows by text, and marks the words where they are drawn. Enter and Shift-Enter go through matches, Escape closes
 * it. Goes to the first match of an initial query, unless the URL links to a row, which is shown anyway.
 */
export function SearchBar({
  rows,
  initial = '',
  linked,
  area,
  show,
  onClose,
}: {
  rows: readonly TimelineRow[];
  initial?: string;
  /** The index of the row in the URL, -1 until it is there. */
  linked?: number;
  /** The element that contains the rows. */
  area: RefObject<HTMLElement | null>;
  /** Scrolls to a row, and to the words in it. */
  show: (index: number, words: readonly string[]) => void;
  onClose: () => void;
}) {
  const [query, setQuery] = useState(initial);
  const [at, setAt] = useState(-1);
  const wanted = useDeferredValue(query);
  const words = useMemo(() => queryWords(wanted), [wanted]);
  const rest = useCutTexts(rows, words);
  const found = useMemo(() => {
    const hits = searchRows(rows, words);
    if (!rest.found?.rows.size) return hits;
    const all = new Set(hits);
    return rows.flatMap((row, index) => (all.has(index) || rest.found?.rows.has(row.key) ? [index] : []));
  }, [rows, words, rest.found]);
  useEffect(() => (area.current ? markFound(area.current, words) : undefined), [area, words]);
  const input = useRef<HTMLInputElement>(null);
  const isLinked = useRef(linked !== undefined);
  useEffect(() => {
    if (!isLinked.current) input.current?.focus();
  }, []);
  const start = isLinked.current ? found.find((index) => index === linked) : found[0];
  const goes = useRef(initial !== '');
  useEffect(() => {
    if (!goes.current || start === undefined) return;
    goes.current = false;
    setAt(found.indexOf(start));
    if (!isLinked.current) show(start, words);
  }, [start, found, show, words]);

  const step = (by: 1 | -1) => {
    // The last letters may not be searched for yet: what was found is for those before.
    const typed = wanted === query ? words : queryWords(query);
    const hits = wanted === query ? found : searchRows(rows, typed);
    if (hits.length === 0) return;
    const next = at === -1 ? (by === 1 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    const index = hits[next];
    setAt(next);
    if (index !== undefined) show(index, typed);
  };
  const pressed = (event: KeyboardEvent) => {
    // Until a composition ends, these keys belong to the input method.
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const count =
    wanted.trim() === '' ? '' : at === -1 ? formatCount(found.length) : `${at + 1}/${found.length}`;
  const spoken = useLatched(count, `${at} ${wanted}`);
  return (
    <search className="absolute top-3 right-3 left-3 z-10 flex flex-wrap items-center sm:left-auto md:right-16 gap-1 rounded-lg border border-line-strong bg-raised py-1 pr-1 pl-3 shadow-lg print:hidden">
      <input
        ref={input}
        id={SEARCH_FIELD}
        type="text"
        aria-label="Search in this run"
        placeholder="Search in this run"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          goes.current = false;
          setQuery(event.target.value);
          setAt(-1);
        }}
        onKeyDown={pressed}
        className="h-8 min-w-0 flex-1 bg-transparent placeholder:text-ink-3 placeholder:opacity-100 focus-visible:outline-none sm:w-56 sm:flex-none"
      />
      <span className="tnum min-w-14 text-right font-mono text-xs text-ink-3" aria-hidden="true">
        {count}
      </span>
      <span role="status" className="sr-only">
        {spoken}
      </span>
      <button
        type="button"
        className={button}
        aria-label="Previous"
        disabled={found.length === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp className="size-4" aria-hidden="true" />
      </button>
      <button
        type="button"
        className={button}
        aria-label="Next"
        disabled={found.length === 0}
        onClick={() => step(1)}
      >
        <ChevronDown className="size-4" aria-hidden="true" />
      </button>
      <button type="button" className={button} aria-label="Close the search" onClick={onClose}>
        <X className="size-4" aria-hidden="true" />
      </button>
      {rest.isCut && words.length > 0 && (
        <p className="w-0 min-w-full pb-1 text-xs text-ink-2">
          {rest.found ? (
            rest.found.skipped > 0 ? (
              `${plural(rest.found.skipped, 'text')} too long to search: download ${rest.found.skipped === 1 ? 'it' : 'them'} instead.`
            ) : (
              'Long texts were searched in full.'
            )
          ) : (
            <>
              Long texts are searched only in part.{' '}
              <button
                type="button"
                className="reach font-medium text-brass underline-offset-2 hover:underline"
                onClick={() => {
                  input.current?.focus();
                  rest.search();
                }}
              >
                Search them in full
              </button>
            </>
          )}
        </p>
      )}
      {rest.problem && <ErrorLine error={rest.problem} />}
    </search>
  );
}

/** The search of texts that arrived truncated, which fetches them; not possible where there is no server. */
function useCutTexts(rows: readonly TimelineRow[], words: readonly string[]) {
  const { whole } = useRunScreen();
  const { problem, run } = useRequest();
  const [searched, setSearched] = useState<{ words: readonly string[]; found: CutTextsFound }>();
  const latest = useLatest(words);
  const cut = useMemo(() => rows.filter((row) => cutsOf(row).length > 0), [rows]);
  const search = () =>
    void run(async () => {
      if (!whole) return;
      const { searchCutTexts } = await import('#lib/browser/state/search-cut-texts.ts');
      const found = await searchCutTexts(cut, words, whole);
      // Other words may have been entered, and searched for, by the time of the answer.
      if (latest.current === words) setSearched({ words, found });
    });
  return {
    isCut: whole !== undefined && cut.length > 0,
    found: searched?.words === words ? searched.found : undefined,
    ...{ problem, search },
  };
}
