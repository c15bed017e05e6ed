'use client';

import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { formatCount } from '#lib/browser/format.ts';
import { searchRows } from '#lib/browser/search-rows.ts';
import { useRun } from '../run/run-context.tsx';

const button =
  'grid size-7 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink disabled:text-ink-3';

/** Finds rows by what they say. Enter and Shift-Enter walk through them, Escape closes. */
export function SearchBar({ show, onClose }: { show: (index: number) => void; onClose: () => void }) {
  const rows = useRun((view) => view.timeline.rows);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(-1);
  const wanted = useDeferredValue(query);
  const found = useMemo(() => searchRows(rows, wanted), [rows, wanted]);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const step = (by: 1 | -1) => {
    if (found.length === 0) return;
    const next = at === -1 ? (by === 1 ? 0 : found.length - 1) : (at + by + found.length) % found.length;
    const index = found[next];
    setAt(next);
    if (index !== undefined) show(index);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="absolute top-3 right-4 z-10 flex items-center gap-1 rounded-lg border border-line-strong bg-raised py-1 pr-1 pl-3 shadow-lg print:hidden">
      <input
        ref={input}
        type="text"
        aria-label="Search in this run"
        placeholder="Search in this run"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(-1);
        }}
        onKeyDown={pressed}
        className="w-44 bg-transparent py-1 placeholder:text-ink-3 placeholder:opacity-100 focus-visible:outline-none sm:w-56"
      />
      <span className="tnum min-w-14 text-right font-mono text-xs text-ink-3" role="status">
        {wanted.trim() === '' ? '' : at === -1 ? formatCount(found.length) : `${at + 1}/${found.length}`}
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
    </search>
  );
}
