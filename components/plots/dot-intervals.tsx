'use client';

import { ColumnAxis, CursorColumn, columnsOf, ValueAxis, valueScale } from './axes.tsx';
import type { PlotColor } from './palette.ts';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

/** A measured value with its interval. */
export interface DotInterval {
  readonly key: string;
  /** Shown below the dot, or below the dots that share it. */
  readonly label: string;
  readonly low: number;
  readonly value: number;
  readonly high: number;
  /** Index into `series`. */
  readonly series: number;
}

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'height' | 'controls' | 'empty'>;

const CAP_PX = 4;
/** Between dots that share a label, where there is room. */
const MAX_GAP_PX = 24;

/** Dots with intervals, side by side in order, colored by series. */
export function DotIntervals({
  dots,
  series,
  max,
  perLabel = 1,
  format,
  describe,
  open,
  ...frame
}: Frame & {
  dots: readonly DotInterval[];
  series: readonly { label: string; color: PlotColor }[];
  /** The highest value of the axis, if it is fixed. */
  max?: number;
  /** How many dots in a row share a label and stand closer to each other than to others. Default: 1. */
  perLabel?: number;
  format: (value: number) => string;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const most = max ?? dots.reduce((all, { high }) => Math.max(all, high), 0);
  return (
    <PlotFigure
      {...frame}
      legend={series}
      points={{
        count: dots.length,
        describe,
        open,
        at: ({ x }, width) => columnsOf(dots.length, width).at(x),
      }}
    >
      {({ width, height, cursor }) => {
        const scale = valueScale(most, height);
        const groups = columnsOf(dots.length / perLabel, width);
        const gap = Math.min(MAX_GAP_PX, groups.step / (perLabel + 1));
        const cap = perLabel === 1 ? CAP_PX : Math.min(CAP_PX, 0.4 * gap);
        const xOf = (index: number) =>
          groups.center(Math.floor(index / perLabel)) + ((index % perLabel) - (perLabel - 1) / 2) * gap;
        return (
          <>
            <ValueAxis scale={scale} width={width} height={height} format={format} />
            {cursor !== undefined && (
              <CursorColumn index={cursor} count={dots.length} width={width} height={height} />
            )}
            {dots.map(({ key, low, value, high, series: own }, index) => {
              const color = series[own]?.color;
              const x = xOf(index);
              return (
                <g key={key}>
                  {low < high && (
                    <path
                      d={`M${x - cap} ${scale(low)}h${2 * cap}M${x - cap} ${scale(high)}h${2 * cap}M${x} ${scale(low)}V${scale(high)}`}
                      fill="none"
                      className={color?.stroke}
                      strokeWidth="1.5"
                    />
                  )}
                  <circle cx={x} cy={scale(value)} r="3.5" className={color?.fill} />
                </g>
              );
            })}
            <ColumnAxis
              count={dots.length / perLabel}
              width={width}
              height={height}
              label={(index) => dots[index * perLabel]?.label ?? ''}
            />
          </>
        );
      }}
    </PlotFigure>
  );
}
