'use client';

import { type PointerEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { type MarkTone, outlineIndex, outlineOf, outlineY } from '#lib/browser/state/outline.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { keysOf } from '#lib/util/records.ts';
import { useLatest } from '../../hooks/use-latest.ts';
import { useRun } from '../run-context.tsx';
import { rowWords } from './row-words.ts';

/** How often the outline of a growing run is redrawn. */
const REDRAW_MS = 250;
/** Min height of the viewport marker in pixels, so that it can be grabbed. */
const LEAST_VIEW_PX = 10;
/** Max height per row, so that a short run stays at the top. */
const MOST_ROW_PX = 9;

const strokes: Record<MarkTone, string> = {
  quiet: 'stroke-line-strong',
  ink: 'stroke-ink-3',
  brass: 'stroke-brass-fill',
  warn: 'stroke-warn',
  fail: 'stroke-fail',
};

/**
 * An outline of the run next to the timeline: failures, guards, repairs and the visible part. Drag to scroll.
 * For the pointer alone: keys have g, G, Shift J and Ctrl G.
 */
export function OutlineStrip({
  rows,
  list,
  scroller,
  onScrub,
}: {
  rows: readonly TimelineRow[];
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  onScrub: (index: number, last: boolean) => void;
}) {
  const strip = useRef<HTMLDivElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  const drawn = useEvery(rows, REDRAW_MS);
  const height = Math.min(room, drawn.length * MOST_ROW_PX);
  const outline = useMemo(() => outlineOf(drawn, height), [drawn, height]);
  const [hovered, setHovered] = useState<{ y: number; words: string }>();
  const mode = useRun((view) => view.run.config?.mode);
  const dragging = useRef(false);
  const count = useRef(0);
  count.current = rows.length;

  useEffect(() => {
    const element = strip.current;
    if (!element) return;
    const sized = new ResizeObserver(([entry]) => setRoom(Math.floor(entry?.contentRect.height ?? 0)));
    sized.observe(element);
    return () => sized.disconnect();
  }, []);

  // Updated directly on scroll, without a React render.
  useEffect(() => {
    const element = scroller.current;
    if (!element || height === 0) return;
    let frame = 0;
    const place = () => {
      frame = 0;
      const handle = list.current;
      const box = view.current;
      if (!handle || !box || count.current === 0) return;
      const from = outlineY(handle.findItemIndex(element.scrollTop), count.current, height);
      const last = handle.findItemIndex(element.scrollTop + element.clientHeight);
      const to = outlineY(last + 1, count.current, height);
      const size = Math.max(LEAST_VIEW_PX, to - from);
      box.hidden = size >= height;
      box.style.height = `${size}px`;
      box.style.transform = `translateY(${Math.min(from, height - size)}px)`;
    };
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(place);
    };
    soon();
    element.addEventListener('scroll', soon, { passive: true });
    const grown = new ResizeObserver(soon);
    grown.observe(element);
    if (element.firstElementChild) grown.observe(element.firstElementChild);
    return () => {
      cancelAnimationFrame(frame);
      grown.disconnect();
      element.removeEventListener('scroll', soon);
    };
  }, [scroller, list, height]);

  const at = (event: PointerEvent) => event.clientY - (strip.current?.getBoundingClientRect().top ?? 0);
  const scrub = (event: PointerEvent) => {
    const index = outlineIndex(at(event), rows.length, height);
    onScrub(index, index === rows.length - 1);
  };
  return (
    <div
      ref={strip}
      aria-hidden="true"
      data-outline=""
      className="absolute inset-y-0 right-0 w-12 touch-none border-l bg-surface select-none max-md:hidden print:hidden"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragging.current = true;
        scrub(event);
      }}
      onPointerMove={(event) => {
        const y = at(event);
        const row = rows[outlineIndex(y, rows.length, height)];
        setHovered(row && { y, words: rowWords(row, mode) });
        if (dragging.current) scrub(event);
      }}
      onPointerUp={() => {
        dragging.current = false;
      }}
      onPointerCancel={() => {
        dragging.current = false;
      }}
      onPointerLeave={() => setHovered(undefined)}
    >
      <div
        ref={view}
        className="absolute inset-x-0 top-0 border-y border-brass-line bg-brass-wash/70"
        style={{ height: 0 }}
      />
      <svg width="47" height={height} className="absolute inset-0" role="presentation">
        {keysOf(strokes).map((tone) => (
          <path key={tone} d={outline.paths[tone]} className={strokes[tone]} shapeRendering="crispEdges" />
        ))}
        {outline.labels.map(({ y, text, index }) => (
          <text
            key={index}
            x="42"
            y={y + 9}
            textAnchor="end"
            className="fill-ink-3 font-mono text-[0.5625rem]"
          >
            {text}
          </text>
        ))}
      </svg>
      {hovered && (
        <p
          className="foreign pointer-events-none absolute right-full mr-1.5 max-w-64 -translate-y-1/2 truncate rounded-md border border-line-strong bg-raised px-2 py-1 text-xs whitespace-nowrap shadow-md"
          style={{ top: hovered.y }}
        >
          {hovered.words}
        </p>
      )}
    </div>
  );
}

/** Throttles a frequently changing value. */
function useEvery<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useLatest(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value === shown || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, ms);
  }, [value, shown, ms, latest]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}
