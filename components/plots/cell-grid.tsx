'use client';

import { ColumnAxis, columnsOf, MARGIN } from './axes.tsx';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

const ROW_PX = 18;
/** Names of rows are shortened to fit the margin. */
const NAME_CHARS = 24;
const HEAD_PX = 15;

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'controls' | 'empty'>;

/** A grid of counts: rows by columns, darker cells for higher counts. Needs no color to tell rows apart. */
export function CellGrid({
  rows,
  columns,
  label,
  describe,
  open,
  ...frame
}: Frame & {
  /** One value per column each. */
  rows: readonly { name: string; values: readonly number[] }[];
  columns: number;
  label: (index: number) => string;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const most = rows.reduce((max, { values }) => Math.max(max, ...values), 0);
  const rowHeight = ROW_PX + HEAD_PX;
  return (
    <PlotFigure
      {...frame}
      height={rows.length * rowHeight + MARGIN.bottom}
      points={{
        count: rows.length > 0 ? columns : 0,
        describe,
        open,
        at: ({ x }, width) => columnsOf(columns, width).at(x),
      }}
    >
      {({ width, height, cursor }) => {
        const { x, step } = columnsOf(columns, width);
        const gap = step > 5 ? 1 : 0;
        return (
          <>
            {rows.map(({ name, values }, row) => (
              <g key={name}>
                <text
                  x={MARGIN.left}
                  y={row * rowHeight + HEAD_PX - 4}
                  className="fill-ink-2 font-mono text-2xs"
                >
                  {name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS - 1)}…` : name}
                </text>
                <text
                  x={MARGIN.left - 6}
                  y={row * rowHeight + HEAD_PX + ROW_PX / 2}
                  textAnchor="end"
                  dominantBaseline="middle"
                  className="tnum fill-ink-3 text-2xs"
                >
                  {values.reduce((sum, value) => sum + value, 0)}
                </text>
                <rect
                  x={MARGIN.left}
                  y={row * rowHeight + HEAD_PX}
                  width={Math.max(0, width - MARGIN.left - MARGIN.right)}
                  height={ROW_PX}
                  className="fill-line opacity-40"
                />
                {values.map((value, index) =>
                  value > 0 ? (
                    <rect
                      // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                      key={index}
                      x={x(index)}
                      y={row * rowHeight + HEAD_PX}
                      width={Math.max(1, step - gap)}
                      height={ROW_PX}
                      className="fill-plot-1"
                      fillOpacity={0.25 + 0.75 * (value / most)}
                    />
                  ) : null,
                )}
              </g>
            ))}
            {cursor !== undefined && (
              <rect
                x={x(cursor)}
                y={0}
                width={Math.max(2, step)}
                height={height - MARGIN.bottom}
                className="fill-none stroke-brass"
                strokeWidth="1.5"
              />
            )}
            <ColumnAxis count={columns} width={width} height={height} label={label} />
          </>
        );
      }}
    </PlotFigure>
  );
}
