'use client';

import { ColumnAxis, CursorColumn, columnsOf, ValueAxis, valueScale } from './axes.tsx';
import type { PlotColor } from './palette.ts';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

/** A measured value with its interval. */
export interface DotInterval {
  readonly key: string;
  /** Shown at the dot. */
  readonly label: string;
  readonly low: number;
  readonly value: number;
  readonly high: number;
  /** Index into `series`. */
  readonly series: number;
}

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'height' | 'controls' | 'empty'>;

const CAP_PX = 4;

/** Dots with intervals, side by side in order, colored by series. */
export function DotIntervals({
  dots,
  series,
  max,
  format,
  describe,
  open,
  ...frame
}: Frame & {
  dots: readonly DotInterval[];
  series: readonly { label: string; color: PlotColor }[];
  /** The highest value of the axis, if it is fixed. */
  max?: number;
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
        const { center } = columnsOf(dots.length, width);
        return (
          <>
            <ValueAxis scale={scale} width={width} height={height} format={format} />
            {cursor !== undefined && (
              <CursorColumn index={cursor} count={dots.length} width={width} height={height} />
            )}
            {dots.map(({ key, low, value, high, series: own }, index) => {
              const color = series[own]?.color;
              const x = center(index);
              return (
                <g key={key}>
                  {low < high && (
                    <path
                      d={`M${x - CAP_PX} ${scale(low)}h${2 * CAP_PX}M${x - CAP_PX} ${scale(high)}h${2 * CAP_PX}M${x} ${scale(low)}V${scale(high)}`}
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
              count={dots.length}
              width={width}
              height={height}
              label={(index) => dots[index]?.label ?? ''}
            />
          </>
        );
      }}
    </PlotFigure>
  );
}
