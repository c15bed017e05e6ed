'use client';

import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { chapterOf } from '#lib/browser/state/outline.ts';
import { modeFacts } from '#lib/events/modes.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';

/** Goes to an iteration, turn or cycle by number. A number that is too high goes to the last. */
export function GoBar({
  rows,
  show,
  onClose,
}: {
  rows: readonly TimelineRow[];
  show: (index: number) => void;
  onClose: () => void;
}) {
  const { reading } = useRunScreen();
  const mode = useRun((view) => view.run.config?.mode);
  const { unit: word, hasCycles } = modeFacts(mode);
  const chapters = rows.flatMap((row, index) => {
    const number = chapterOf(row, { hasCycles });
    return number === undefined ? [] : [{ number, index }];
  });
  const highest = chapters.reduce((most, { number }) => Math.max(most, number), 0);
  const input = useRef<HTMLInputElement>(null);
  const before = useRef<Element | null>(null);
  const [text, setText] = useState(() => {
    const { cursor } = reading.getState();
    const at = rows.findIndex((row) => row.key === cursor);
    const here = chapters.findLast(({ index }) => index <= at);
    return String(here?.number ?? highest);
  });
  useEffect(() => {
    before.current = document.activeElement;
    input.current?.select();
  }, []);

  const close = () => {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  };
  const go = () => {
    const wanted = Math.max(1, Math.min(highest, Number.parseInt(text, 10) || 1));
    // Numbers restart with each attempt, so use the last match.
    const found =
      chapters.findLast(({ number }) => number === wanted) ?? chapters.find(({ number }) => number >= wanted);
    onClose();
    if (found) show(found.index);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      aria-label={`Go to ${word.toLowerCase()} by number`}
      className="absolute top-3 right-4 z-10 flex items-center gap-2 rounded-lg border border-line-strong bg-raised py-1 pr-3 pl-3 shadow-lg md:right-16 print:hidden"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <label htmlFor="go-to" className="text-sm text-ink-2">
        {word}
      </label>
      <input
        id="go-to"
        ref={input}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value.replace(/\D/g, '').slice(0, 6))}
        onKeyDown={pressed}
        onBlur={onClose}
        className="tnum h-8 w-14 rounded-sm bg-sunken px-2 text-right font-mono focus-visible:outline-none"
      />
      <span className="tnum font-mono text-xs text-ink-3">of {highest}</span>
    </form>
  );
}
