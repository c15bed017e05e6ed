'use client';

import { line, stack } from 'd3-shape';
import { Fragment, useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ColumnAxis, CursorColumn, columnsOf, MARGIN, ValueAxis, valueScale } from './axes.tsx';
import type { PlotColor } from './palette.ts';
import { PlotFigure, type PlotFigureProps, TOGGLE } from './plot-figure.tsx';
import { TexturePatterns } from './texture-patterns.tsx';

export interface StackedColumn {
  readonly key: string;
  /** Below the column. */
  readonly label: string;
  /** One value per series, from the bottom. */
  readonly values: readonly number[];
  /** A limit drawn across the column, such as the window. */
  readonly limit?: number;
  /** Whether a mark stands above the column. */
  readonly marked?: boolean;
}

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'height' | 'empty'>;

/** With values below this share of the limit, the axis ends at the values: else the columns could not be read. */
const NEAR_LIMIT = 0.3;

/** Columns of stacked values, with an optional limit across them. */
export function StackedColumns({
  columns,
  series,
  limit,
  mark,
  format,
  describe,
  open,
  ...frame
}: Frame & {
  columns: readonly StackedColumn[];
  series: readonly { label: string; color: PlotColor }[];
  limit?: { label: string; color: PlotColor };
  mark?: { label: string; color: PlotColor };
  format: (value: number) => string;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const [chosen, setChosen] = useState<boolean>();
  const highest = columns.reduce((max, { values }) => Math.max(max, sum(values)), 0);
  const most = columns.reduce((max, column) => Math.max(max, column.limit ?? 0), 0);
  const toLimit = chosen ?? highest >= most * NEAR_LIMIT;
  return (
    <PlotFigure
      {...frame}
      controls={
        limit &&
        most > 0 && (
          <Button
            size="sm"
            kind="quiet"
            className={TOGGLE}
            aria-pressed={toLimit}
            onClick={() => setChosen(!toLimit)}
          >
            Up to the {limit.label.toLowerCase()}
          </Button>
        )
      }
      legend={[
        // Series without values would only fill the legend.
        ...series.filter((_, index) => columns.some(({ values }) => (values[index] ?? 0) > 0)),
        ...(limit && most > 0
          ? [{ ...limit, line: true, label: toLimit ? limit.label : `${limit.label} ${format(most)}, above` }]
          : []),
        ...(mark && columns.some(({ marked }) => marked) ? [mark] : []),
      ]}
      points={{
        count: columns.length,
        describe,
        open,
        at: ({ x }, width) => columnsOf(columns.length, width).at(x),
      }}
    >
      {({ width, height, cursor }) => {
        const scale = valueScale(toLimit ? Math.max(most, highest) : highest, height);
        return (
          <>
            <ValueAxis scale={scale} width={width} height={height} format={format} />
            <Stacks columns={columns} series={series} scale={scale} width={width} />
            {limit && toLimit && <Limit columns={columns} scale={scale} width={width} color={limit.color} />}
            {mark && <Marks columns={columns} width={width} height={height} color={mark.color} />}
            {cursor !== undefined && (
              <CursorColumn index={cursor} count={columns.length} width={width} height={height} />
            )}
            <ColumnAxis
              count={columns.length}
              width={width}
              height={height}
              label={(index) => columns[index]?.label ?? ''}
            />
          </>
        );
      }}
    </PlotFigure>
  );
}

type Scale = ReturnType<typeof valueScale>;

function Stacks({
  columns,
  series,
  scale,
  width,
}: {
  columns: readonly StackedColumn[];
  series: readonly { label: string; color: PlotColor }[];
  scale: Scale;
  width: number;
}) {
  const textures = useId();
  const { x, step } = columnsOf(columns.length, width);
  const gap = step > 6 ? Math.min(4, step * 0.2) : 0;
  const layers = stack<StackedColumn, number>()
    .keys(series.keys())
    .value((column, index) => column.values[index] ?? 0)(columns);
  const stacks = layers.map((layer, index) => {
    // One path per series, so that any number of columns takes few elements.
    const path = layer
      .map(([from, to], column) => {
        if (to <= from) return '';
        const bottom = scale(from);
        return `M${x(column) + gap / 2} ${bottom}h${Math.max(1, step - gap)}V${scale(to)}h${-Math.max(1, step - gap)}z`;
      })
      .join('');
    const { label, color } = series[index] ?? {};
    const texture = color?.texture;
    return (
      <Fragment key={label}>
        <path d={path} className={color?.fill} />
        {texture && texture !== 'solid' && <path d={path} fill={`url(#${textures}-${texture})`} />}
      </Fragment>
    );
  });
  return (
    <>
      <TexturePatterns id={textures} used={series.map(({ color }) => color.texture)} />
      {stacks}
    </>
  );
}

function Limit({
  columns,
  scale,
  width,
  color,
}: {
  columns: readonly StackedColumn[];
  scale: Scale;
  width: number;
  color: PlotColor;
}) {
  const { x, step } = columnsOf(columns.length, width);
  // Each column has two points, so that the line runs across its whole width.
  const points = columns.flatMap(({ limit }, index) => [
    { at: x(index), limit },
    { at: x(index) + step, limit },
  ]);
  const path = line<(typeof points)[number]>()
    .defined(({ limit }) => limit !== undefined && limit > 0)
    .x(({ at }) => at)
    .y(({ limit = 0 }) => scale(limit))(points);
  return <path d={path ?? ''} fill="none" className={color.stroke} strokeWidth="1.5" strokeDasharray="5 3" />;
}

function Marks({
  columns,
  width,
  height,
  color,
}: {
  columns: readonly StackedColumn[];
  width: number;
  height: number;
  color: PlotColor;
}) {
  const { x } = columnsOf(columns.length, width);
  return columns.map(({ key, marked }, index) =>
    marked ? (
      <g key={key} className={color.fill}>
        <rect x={x(index) - 0.5} y={MARGIN.top} width="1" height={height - MARGIN.top - MARGIN.bottom} />
        <path d={`M${x(index)} ${MARGIN.top + 6}l-4 -7h8z`} />
      </g>
    ) : null,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
