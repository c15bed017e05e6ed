'use client';

import { ColumnAxis, columnsOf, MARGIN } from './axes.tsx';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

/** Rows are as high as there is room for, within these limits. */
const TALLEST_PX = 380;
const ROW_PX = { least: 3, most: 26 };

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'controls' | 'empty'>;

/** A square of shares from 0 to 1: everything against everything, darker for more. The cursor marks a row and its column. */
export function MatrixPlot({
  values,
  breaks = [],
  label,
  describe,
  open,
  ...frame
}: Frame & {
  /** Row by row; `null` where nothing was measured. */
  values: readonly (readonly (number | null)[])[];
  /** The first row of each group after the first. */
  breaks?: readonly number[];
  label: (index: number) => string;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const count = values.length;
  const rowHeight = Math.min(ROW_PX.most, Math.max(ROW_PX.least, TALLEST_PX / Math.max(1, count)));
  const square = count * rowHeight;
  return (
    <PlotFigure
      {...frame}
      height={MARGIN.top + square + MARGIN.bottom}
      points={{ count, describe, open, at: ({ x }, width) => columnsOf(count, width).at(x) }}
    >
      {({ width, height, cursor }) => {
        const { x, step } = columnsOf(count, width);
        const right = width - MARGIN.right;
        const y = (row: number) => MARGIN.top + row * rowHeight;
        return (
          <>
            <rect
              x={MARGIN.left}
              y={MARGIN.top}
              width={Math.max(0, right - MARGIN.left)}
              height={square}
              className="fill-line opacity-40"
            />
            {values.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
              <Row key={index} values={row} x={x} y={y(index)} width={step} height={rowHeight} />
            ))}
            {breaks.map((at) => (
              <path
                key={at}
                d={`M${x(at)} ${y(0)}V${y(count)}M${MARGIN.left} ${y(at)}H${right}`}
                className="fill-none stroke-ink-3"
                strokeWidth="1"
                shapeRendering="crispEdges"
              />
            ))}
            {cursor !== undefined && (
              <g className="fill-none stroke-brass" strokeWidth="1.5">
                <rect x={x(cursor)} y={y(0)} width={Math.max(2, step)} height={square} />
                <rect
                  x={MARGIN.left}
                  y={y(cursor)}
                  width={Math.max(0, right - MARGIN.left)}
                  height={Math.max(2, rowHeight)}
                />
              </g>
            )}
            {rowHeight >= 11 &&
              values.map((_, index) => (
                <text
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
                  key={index}
                  x={MARGIN.left - 6}
                  y={y(index) + rowHeight / 2}
                  textAnchor="end"
                  dominantBaseline="middle"
                  className="tnum fill-ink-3 text-2xs"
                >
                  {label(index)}
                </text>
              ))}
            <ColumnAxis count={count} width={width} height={height} label={label} />
          </>
        );
      }}
    </PlotFigure>
  );
}

/** One path per shade, so that a large matrix takes few elements. */
const SHADES = 10;

function Row({
  values,
  x,
  y,
  width,
  height,
}: {
  values: readonly (number | null)[];
  x: (index: number) => number;
  y: number;
  width: number;
  height: number;
}) {
  const gap = width > 5 && height > 5 ? 1 : 0;
  const paths = new Map<number, string>();
  values.forEach((value, index) => {
    const shade = Math.round((value ?? 0) * SHADES);
    if (shade === 0) return;
    const cell = `M${x(index)} ${y}h${Math.max(1, width - gap)}v${Math.max(1, height - gap)}h${-Math.max(1, width - gap)}z`;
    paths.set(shade, (paths.get(shade) ?? '') + cell);
  });
  return [...paths].map(([shade, path]) => (
    <path key={shade} d={path} className="fill-plot-1" fillOpacity={0.08 + (0.92 * shade) / SHADES} />
  ));
}
