'use client';

import { Download, Table2 } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef, useState } from 'react';
import { saveSvg } from '#lib/browser/plots/svg-file.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import type { PlotColor } from './palette.ts';
import { PlotTable, type TableData } from './plot-table.tsx';
import { useWidth } from './use-width.ts';

/** The points that the keyboard and the pointer move through. */
interface PlotPoints {
  readonly count: number;
  /** A point as text, with its values. */
  readonly describe: (index: number) => string;
  /** Called for the point at the cursor on Enter and on a double click. */
  readonly open?: (index: number) => void;
  /** The point at a place of the drawing, in pixels. */
  readonly at: (place: { x: number; y: number }, width: number) => number;
}

interface LegendEntry {
  readonly label: string;
  readonly color: PlotColor;
  /** A line instead of an area. */
  readonly line?: boolean;
}

export interface PlotFigureProps {
  title: string;
  /** The unit of the numbers, such as `tokens`. */
  unit?: string;
  /** One sentence below the title. */
  note?: ReactNode;
  legend?: readonly LegendEntry[];
  points: PlotPoints;
  table: TableData;
  /** Height of the drawing in pixels. */
  height: number;
  /** Controls of this plot, before those of every plot. */
  controls?: ReactNode;
  /** Shown in place of the plot while there are no points. */
  empty?: string;
  /** Draws into the SVG. @param cursor the point to mark, if any */
  children: (size: { width: number; height: number; cursor: number | undefined }) => ReactNode;
}

/** A button that stays pressed, among the controls of a plot. */
export const TOGGLE = 'max-sm:h-11 aria-pressed:bg-sunken aria-pressed:text-ink';

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  PageUp: -10,
  PageDown: 10,
};

/**
 * The frame of every plot: title, unit, legend, the drawing with a cursor that arrow keys move, and the same data as a
 * table. The drawing can be saved as an SVG file.
 */
export function PlotFigure(props: PlotFigureProps) {
  const { title, unit, note, legend = [], points, table, controls, empty = 'No data yet.' } = props;
  const [asTable, setAsTable] = useState(false);
  const heading = useId();
  const svg = useRef<SVGSVGElement>(null);
  const drawn = points.count > 0;
  return (
    <figure aria-labelledby={heading} className="min-w-0 break-inside-avoid" data-plot={title}>
      <figcaption className="@container">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {/* As high as the buttons, which may be on another line. */}
          <h2 id={heading} className="py-1 text-sm font-semibold">
            {title}
            {unit && <span className="ml-1.5 font-normal text-ink-3">{unit}</span>}
          </h2>
          {drawn && !asTable && legend.length > 1 && <Legend entries={legend} />}
          <span className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-1 print:hidden">
            {/* Also without data: they may choose other data. */}
            {!(drawn && asTable) && controls}
            {drawn && (
              <Button
                size="sm"
                kind="quiet"
                className={cx(TOGGLE, 'max-sm:min-w-11')}
                aria-pressed={asTable}
                aria-label={`${title}: show as a table`}
                title="Show as a table"
                onClick={() => setAsTable(!asTable)}
              >
                <Table2 className="size-3.5" aria-hidden="true" />
                <span className="@max-md:hidden">Table</span>
              </Button>
            )}
            {drawn && !asTable && (
              <Button
                size="sm"
                kind="quiet"
                className="max-sm:h-11 max-sm:min-w-11"
                aria-label={`${title}: save as SVG`}
                title="Save as SVG"
                onClick={() => svg.current && saveSvg(svg.current, title)}
              >
                <Download className="size-3.5" aria-hidden="true" />
                <span className="@max-md:hidden">SVG</span>
              </Button>
            )}
          </span>
        </div>
        {note && <p className="mt-0.5 text-xs text-ink-3">{note}</p>}
      </figcaption>
      <div className="min-w-0">
        {!drawn && <p className="py-4 text-sm text-ink-3">{empty}</p>}
        {drawn && asTable && <PlotTable title={title} table={table} />}
        {drawn && !asTable && <Drawing {...props} svg={svg} />}
      </div>
    </figure>
  );
}

function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-ink-2">
      {entries.map(({ label, color, line }) => (
        <li key={label} className="flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className={cx(
              line ? 'h-0.5 w-3' : color.texture ? 'size-3 rounded-[1px]' : 'size-2 rounded-[1px]',
              color.swatch,
            )}
          />
          {label}
        </li>
      ))}
    </ul>
  );
}

function Drawing({
  title,
  points,
  height,
  children,
  svg,
}: PlotFigureProps & { svg: React.RefObject<SVGSVGElement | null> }) {
  const [area, width] = useWidth<HTMLDivElement>();
  const [chosen, setChosen] = useState<number>();
  const last = points.count - 1;
  const cursor = chosen === undefined ? undefined : Math.min(chosen, last);
  const choose = (index: number) => setChosen(Math.max(0, Math.min(last, index)));
  const pressed = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined) choose(cursor === undefined ? (step > 0 ? 0 : last) : cursor + step);
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(last);
    else if (event.key === 'Enter' && cursor !== undefined) points.open?.(cursor);
    else if (event.key === 'Escape' && cursor !== undefined) setChosen(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const hovered = (event: PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    if (box) choose(points.at({ x: event.clientX - box.left, y: event.clientY - box.top }, width));
  };
  return (
    <>
      <div
        ref={area}
        role="slider"
        tabIndex={0}
        aria-label={`${title}: data points`}
        aria-valuemin={1}
        aria-valuemax={points.count}
        aria-valuenow={(cursor ?? 0) + 1}
        aria-valuetext={points.describe(cursor ?? 0)}
        className={cx('mt-1 touch-pan-y print:h-auto!', points.open && 'cursor-pointer')}
        style={{ height }}
        onKeyDown={pressed}
        onPointerMove={hovered}
        onPointerDown={hovered}
        onPointerLeave={(event) => {
          if (!event.currentTarget.matches(':focus-visible')) setChosen(undefined);
        }}
        onDoubleClick={() => cursor !== undefined && points.open?.(cursor)}
      >
        {width > 0 && (
          <svg
            ref={svg}
            width={width}
            height={height}
            // Paper may be narrower than the window that it was drawn for.
            viewBox={`0 0 ${width} ${height}`}
            aria-hidden="true"
            className="block overflow-visible print:h-auto print:max-w-full"
          >
            {children({ width, height, cursor })}
          </svg>
        )}
      </div>
      <p className="tnum foreign min-h-4.5 text-xs text-ink-2 print:hidden">
        {cursor === undefined ? '' : points.describe(cursor)}
      </p>
    </>
  );
}
