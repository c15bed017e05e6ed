'use client';

import { area, line } from 'd3-shape';
import { ColumnAxis, CursorColumn, columnsOf, ValueAxis, valueScale } from './axes.tsx';
import type { PlotColor } from './palette.ts';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

/** A value and the range around it. */
interface BandPoint {
  readonly low: number;
  readonly value: number;
  readonly high: number;
}

interface BandLine {
  readonly label: string;
  readonly color: PlotColor;
  /** One entry per column; missing where nothing was measured. */
  readonly points: readonly (BandPoint | undefined)[];
}

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'height' | 'controls' | 'empty'>;

/** Lines with a band around each that shows the range of what was combined. */
export function LineBand({
  lines,
  columns,
  max,
  label,
  format,
  describe,
  open,
  ...frame
}: Frame & {
  lines: readonly BandLine[];
  columns: number;
  /** The highest value of the axis, if it is fixed. */
  max?: number;
  label: (index: number) => string;
  format: (value: number) => string;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const most =
    max ??
    lines.reduce(
      (all, { points }) => points.reduce((high, point) => Math.max(high, point?.high ?? 0), all),
      0,
    );
  return (
    <PlotFigure
      {...frame}
      legend={lines.map((each) => ({ ...each, line: true }))}
      points={{
        count: lines.some(({ points }) => points.some(Boolean)) ? columns : 0,
        describe,
        open,
        at: ({ x }, width) => columnsOf(columns, width).at(x),
      }}
    >
      {({ width, height, cursor }) => {
        const scale = valueScale(most, height);
        return (
          <>
            <ValueAxis scale={scale} width={width} height={height} format={format} />
            {lines.map((each) => (
              <Line key={each.label} line={each} columns={columns} scale={scale} width={width} />
            ))}
            {cursor !== undefined && (
              <CursorColumn index={cursor} count={columns} width={width} height={height} />
            )}
            <ColumnAxis count={columns} width={width} height={height} label={label} />
          </>
        );
      }}
    </PlotFigure>
  );
}

/** Up to this many columns each point is marked. */
const MAX_DOTS = 40;

function Line({
  line: { points, color },
  columns,
  scale,
  width,
}: {
  line: BandLine;
  columns: number;
  scale: ReturnType<typeof valueScale>;
  width: number;
}) {
  const { center } = columnsOf(columns, width);
  const measured = points.flatMap((point, index) => (point ? [{ ...point, at: center(index) }] : []));
  const band = area<(typeof measured)[number]>()
    .x(({ at }) => at)
    .y0(({ low }) => scale(low))
    .y1(({ high }) => scale(high))(measured);
  const path = line<(typeof measured)[number]>()
    .x(({ at }) => at)
    .y(({ value }) => scale(value))(measured);
  return (
    <g>
      <path d={band ?? ''} className={color.fill} fillOpacity="0.25" />
      <path d={path ?? ''} fill="none" className={color.stroke} strokeWidth="1.5" />
      {measured.length <= MAX_DOTS &&
        measured.map(({ at, value }) => (
          <circle key={at} cx={at} cy={scale(value)} r="2" className={color.fill} />
        ))}
    </g>
  );
}
