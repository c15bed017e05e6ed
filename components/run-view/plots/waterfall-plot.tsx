'use client';

import { Minus, Plus } from 'lucide-react';
import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { focusEnabled } from '#lib/browser/focus-soon.ts';
import { callsLabel, TIME_LABELS, timeWords } from '#lib/browser/plots/plot-words.ts';
import { type CallTime, TIME_KINDS, totalTimes } from '#lib/browser/plots/series.ts';
import { layOutTimes, SHORT_WAIT_MS } from '#lib/browser/plots/time-layout.ts';
import { formatCount, formatDuration } from '#lib/browser/words/format.ts';
import { TIME_COLORS } from '../../plots/palette.ts';
import { TOGGLE } from '../../plots/plot-figure.tsx';
import { SegmentRows } from '../../plots/segment-rows.tsx';
import { Button } from '../../ui/button.tsx';
import { TimeStrip } from './time-strip.tsx';

/** More calls are combined into rows of several, so that the plot stays readable at any length. */
const MAX_ROWS = 48;
/** Zooming in shows at least this many calls. */
const MIN_CALLS = 4;

/** A range of calls by their index. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where the time of a run went, call by call. Long runs are combined into rows of several calls; zooming in separates them. */
export function WaterfallPlot({
  times,
  onOpen,
  title = 'Time by model call',
}: {
  times: readonly CallTime[];
  onOpen: (seq: number) => void;
  title?: string;
}) {
  const [zoomed, setZoomed] = useState<Range>();
  const [short, setShort] = useState(false);
  const range = zoomed ?? { from: 0, to: times.length };
  const { rows, length } = useMemo(
    () =>
      layOutTimes(times.slice(range.from, range.to), {
        maxRows: MAX_ROWS,
        ...(short ? { longestWaitMs: SHORT_WAIT_MS } : {}),
      }),
    [times, range.from, range.to, short],
  );
  const zoom = (next: Range) => {
    const calls = Math.min(times.length, Math.max(MIN_CALLS, Math.round(next.to - next.from)));
    const from = Math.max(0, Math.min(times.length - calls, Math.round(next.from)));
    setZoomed(calls === times.length ? undefined : { from, to: from + calls });
  };
  const totals = totalTimes(times);
  const kinds = TIME_KINDS.filter((kind) => totals[kind] > 0);
  return (
    <div className="grid gap-1">
      <SegmentRows
        title={title}
        note={
          zoomed &&
          `Calls ${formatCount(zoomed.from + 1)}–${formatCount(zoomed.to)} of ${formatCount(times.length)}.`
        }
        legend={kinds.map((kind) => ({ label: TIME_LABELS[kind], color: TIME_COLORS[kind] }))}
        controls={
          rows.length > 0 && (
            <>
              <Button
                size="sm"
                kind="quiet"
                className={TOGGLE}
                aria-pressed={short}
                onClick={() => setShort(!short)}
              >
                Shorten waits
              </Button>
              {times.length > MIN_CALLS && <Zoom range={range} count={times.length} onZoom={zoom} />}
            </>
          )
        }
        rowHeight={rows.length > 24 ? 11 : 15}
        length={length}
        rows={rows.map((row) => ({
          key: String(row.first.seq),
          label: callsLabel(row),
          failed: row.first.status === 'failed',
          segments: row.segments.map(({ kind, start, end }) => ({
            key: `${kind}${start}`,
            start,
            end,
            color: TIME_COLORS[kind],
          })),
        }))}
        describe={(index) => {
          const row = rows[index];
          return row ? timeWords(row) : '';
        }}
        open={(index) => {
          const row = rows[index];
          if (!row) return;
          if (row.calls === 1) onOpen(row.first.seq);
          else {
            const from = times.indexOf(row.first);
            zoom({ from, to: from + row.calls });
          }
        }}
        table={{
          head: ['Call', 'Total', ...TIME_KINDS.map((kind) => TIME_LABELS[kind])],
          rows: () =>
            times.map((time) => {
              const own = totalTimes([time]);
              return {
                key: String(time.seq),
                cells: [
                  callsLabel({ first: time, last: time }),
                  formatDuration(time.to - time.from),
                  ...TIME_KINDS.map((kind) => (own[kind] > 0 ? formatDuration(own[kind]) : '')),
                ],
              };
            }),
        }}
      />
      {times.length > MAX_ROWS && <Overview times={times} range={range} onSelect={zoom} />}
    </div>
  );
}

function Zoom({ range, count, onZoom }: { range: Range; count: number; onZoom: (range: Range) => void }) {
  const calls = range.to - range.from;
  const middle = range.from + calls / 2;
  const around = (wanted: number) => onZoom({ from: middle - wanted / 2, to: middle + wanted / 2 });
  return (
    <>
      <Button
        size="sm"
        kind="quiet"
        className="px-1.5 max-sm:size-11"
        aria-label="Zoom out"
        disabled={calls >= count}
        onClick={({ currentTarget }) => {
          around(calls * 2);
          focusEnabled(currentTarget, currentTarget.nextElementSibling);
        }}
      >
        <Minus className="size-3.5" aria-hidden="true" />
      </Button>
      <Button
        size="sm"
        kind="quiet"
        className="px-1.5 max-sm:size-11"
        aria-label="Zoom in"
        disabled={calls <= MIN_CALLS}
        onClick={({ currentTarget }) => {
          around(calls / 2);
          focusEnabled(currentTarget, currentTarget.previousElementSibling);
        }}
      >
        <Plus className="size-3.5" aria-hidden="true" />
      </Button>
    </>
  );
}

/** All calls in one strip, for the pointer: dragging selects what the plot shows. Keys have Zoom in and Enter. */
function Overview({
  times,
  range,
  onSelect,
}: {
  times: readonly CallTime[];
  range: Range;
  onSelect: (range: Range) => void;
}) {
  const strip = useRef<HTMLDivElement>(null);
  const anchor = useRef<number>(undefined);
  const { rows, length } = useMemo(() => layOutTimes(times, { maxRows: times.length }), [times]);
  const callAt = (event: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect();
    if (!box) return 0;
    const place = ((event.clientX - box.left) / box.width) * length;
    const index = rows.findIndex(({ end }) => end >= place);
    return index < 0 ? rows.length - 1 : index;
  };
  const start = rows[range.from]?.start ?? 0;
  const end = rows[range.to - 1]?.end ?? length;
  return (
    <div
      ref={strip}
      aria-hidden="true"
      className="relative h-6 cursor-crosshair touch-none select-none print:hidden"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        anchor.current = callAt(event);
      }}
      onPointerMove={(event) => {
        if (anchor.current === undefined) return;
        const other = callAt(event);
        onSelect({ from: Math.min(anchor.current, other), to: Math.max(anchor.current, other) + 1 });
      }}
      onPointerUp={() => {
        anchor.current = undefined;
      }}
    >
      <TimeStrip times={times} className="size-full" />
      <span
        className="pointer-events-none absolute inset-y-0 border border-brass bg-brass-fill/20"
        style={{ left: `${(start / length) * 100}%`, width: `${((end - start) / length) * 100}%` }}
      />
    </div>
  );
}
