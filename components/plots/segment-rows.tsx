'use client';

import { durationLabel, durationScale } from '#lib/browser/plots/duration-scale.ts';
import { labeledTicks } from '#lib/browser/plots/labeled-ticks.ts';
import { LabelBelow, MARGIN } from './axes.tsx';
import type { PlotColor } from './palette.ts';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

/** A bar within a row, in milliseconds since the start of the axis. */
interface Segment {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly color: PlotColor;
}

export interface SegmentRow {
  readonly key: string;
  /** Left of the row. */
  readonly label: string;
  readonly segments: readonly Segment[];
  /** Whether the row is marked as failed. */
  readonly failed?: boolean;
}

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'legend' | 'controls' | 'empty'>;

const AXIS_PX = 18;
const TICK_PX = 90;
/** Thinner segments would not be seen. */
const MIN_PX = 1;

/** Rows of bars on a shared axis of time, such as a waterfall. */
export function SegmentRows({
  rows,
  length,
  rowHeight = 14,
  describe,
  open,
  ...frame
}: Frame & {
  rows: readonly SegmentRow[];
  /** End of the axis, which starts at 0, in milliseconds. */
  length: number;
  /** In pixels. */
  rowHeight?: number;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const gap = rowHeight > 8 ? 3 : 1;
  return (
    <PlotFigure
      {...frame}
      height={rows.length * rowHeight + AXIS_PX}
      points={{ count: rows.length, describe, open, at: ({ y }) => Math.floor(y / rowHeight) }}
    >
      {({ width, height, cursor }) => {
        const scale = durationScale(length, {
          msPerUnit: 1,
          range: [MARGIN.left, Math.max(MARGIN.left + 1, width - MARGIN.right)],
          rounded: false,
        });
        const ticks = labeledTicks(scale, Math.floor((width - MARGIN.left) / TICK_PX), durationLabel);
        return (
          <>
            {ticks.map(({ value, label }) => (
              <g key={value}>
                <line
                  x1={scale(value)}
                  x2={scale(value)}
                  y1={0}
                  y2={height - AXIS_PX}
                  className="stroke-line"
                  shapeRendering="crispEdges"
                />
                <LabelBelow x={scale(value)} height={height}>
                  {label}
                </LabelBelow>
              </g>
            ))}
            {cursor !== undefined && (
              <rect
                x={0}
                y={cursor * rowHeight}
                width={width}
                height={rowHeight}
                className="fill-brass-fill opacity-25"
              />
            )}
            {rows.map(({ key, label, segments, failed }, index) => (
              <g key={key}>
                {rowHeight >= 11 && (
                  <text
                    x={MARGIN.left - 6}
                    y={index * rowHeight + rowHeight / 2}
                    textAnchor="end"
                    dominantBaseline="middle"
                    className={failed ? 'tnum fill-fail text-2xs font-semibold' : 'tnum fill-ink-3 text-2xs'}
                  >
                    {label}
                  </text>
                )}
                {segments.map(({ key: own, start, end, color }) => (
                  <rect
                    key={own}
                    x={scale(start)}
                    y={index * rowHeight + gap / 2}
                    width={Math.max(MIN_PX, scale(end) - scale(start))}
                    height={rowHeight - gap}
                    className={color.fill}
                  />
                ))}
              </g>
            ))}
          </>
        );
      }}
    </PlotFigure>
  );
}
