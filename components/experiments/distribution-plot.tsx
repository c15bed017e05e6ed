'use client';

import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { useRouter } from 'next/navigation';
import { memo, useMemo } from 'react';
import type { CellFigure } from '#lib/api/experiment-cells.ts';
import type { DistributionReply, FigureValue } from '#lib/api/experiment-plots.ts';
import { durationScale } from '#lib/browser/plots/duration-scale.ts';
import { FIGURE_WORDS } from '#lib/browser/words/figure-words.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { ApiState } from '../hooks/use-api.ts';
import { ValueLabels } from '../plots/axes.tsx';
import { PLOT_COLORS } from '../plots/palette.ts';
import { PlotFigure } from '../plots/plot-figure.tsx';
import { Problem } from '../shell/problem.tsx';

/** Limits of the drawing: more could not be distinguished. */
const MAX_CELLS = 40;
const MAX_DOTS = 2000;
const ROW_PX = 24;
const LEFT_PX = 34;
const RIGHT_PX = 12;
const AXIS_PX = 18;
/** How far the dots of a strip are moved up and down, so that equal values do not hide each other. */
const JITTER = [0, -5, 5, -2.5, 2.5, -7.5, 7.5];

const [PASSED, OTHER] = PLOT_COLORS;

type Scale = ScaleLinear<number, number>;

interface Dot extends FigureValue {
  cell: number;
  model: string;
  row: number;
  jitter: number;
}

/** A figure of every judged run as a strip per cell; each dot leads to its run. */
export function DistributionPlot({
  read: { data, error, reload },
  figure,
  onFigure,
}: {
  read: ApiState<DistributionReply>;
  figure: CellFigure;
  onFigure: (figure: CellFigure) => void;
}) {
  const router = useRouter();
  const { cells, dots, left, scale } = useMemo(() => drawn(data), [data]);
  if (!data) return error ? <Problem error={error} onRetry={reload} /> : null;
  const { label, format } = FIGURE_WORDS[data.figure];
  const words = (dot: Dot | undefined) =>
    dot ? `Cell ${dot.cell} (${shortLine(dot.model)}): ${format(dot.value)}, ${verdict(dot)}` : '';
  return (
    <PlotFigure
      title="Distribution"
      unit={`${label.toLowerCase()} of each run, by cell`}
      note={
        left > 0
          ? `${plural(dots.length, 'run')} of ${plural(cells.length, 'cell')}, evenly chosen; ${formatCount(left)} are not drawn.`
          : undefined
      }
      legend={[
        { label: 'passed', color: PASSED },
        { label: 'not passed (hollow)', color: OTHER },
      ]}
      height={cells.length * ROW_PX + AXIS_PX}
      empty="No run has this figure."
      points={{
        count: dots.length,
        describe: (index) => words(dots[index]),
        open: (index) => {
          const dot = dots[index];
          if (dot) router.push(`/runs/${encodeURIComponent(dot.run_id)}`);
        },
        at: (place, width) => nearest(dots, place, scale(width)),
      }}
      controls={
        <select
          aria-label="Figure"
          className="field h-8 w-auto max-w-full py-0 text-xs max-sm:h-11"
          value={figure}
          onChange={(event) => onFigure(event.target.value as CellFigure)}
        >
          {Object.entries(FIGURE_WORDS).map(([name, { label: each }]) => (
            <option key={name} value={name}>
              {each}
            </option>
          ))}
        </select>
      }
      table={{
        head: ['Run', 'Cell', label, 'Verdict'],
        rows: () =>
          dots.map((dot) => ({
            key: dot.run_id,
            cells: [dot.run_id, String(dot.cell), format(dot.value), verdict(dot)],
          })),
      }}
    >
      {({ width, height, cursor }) => (
        <>
          <Strips {...{ cells, dots, width, height, format }} x={scale(width)} />
          <Chosen dot={cursor === undefined ? undefined : dots[cursor]} x={scale(width)} />
        </>
      )}
    </PlotFigure>
  );
}

/** The static part, which is redrawn only for new data. */
const Strips = memo(function Strips({
  cells,
  dots,
  x,
  width,
  height,
  format,
}: {
  cells: readonly { cell: number }[];
  dots: readonly Dot[];
  x: Scale;
  width: number;
  height: number;
  format: (value: number) => string;
}) {
  return (
    <>
      {cells.map(({ cell }, row) => (
        <g key={cell}>
          <line
            x1={LEFT_PX}
            x2={width - RIGHT_PX}
            y1={yOf(row)}
            y2={yOf(row)}
            className="stroke-line"
            shapeRendering="crispEdges"
          />
          <text
            x={LEFT_PX - 8}
            y={yOf(row)}
            textAnchor="end"
            dominantBaseline="middle"
            className="tnum fill-ink-2 text-2xs"
          >
            {cell}
          </text>
        </g>
      ))}
      {dots.map((dot) => (
        <circle
          key={dot.run_id}
          cx={x(dot.value)}
          cy={yOf(dot.row) + dot.jitter}
          r="3"
          className={dot.passed ? PASSED.fill : `fill-none ${OTHER.stroke}`}
          strokeWidth={dot.passed ? 0 : 1.25}
          fillOpacity="0.75"
        />
      ))}
      <ValueLabels scale={x} {...{ width, height }} format={(value) => (value === 0 ? '0' : format(value))} />
    </>
  );
});

function Chosen({ dot, x }: { dot: Dot | undefined; x: Scale }) {
  if (!dot) return null;
  return (
    <circle
      cx={x(dot.value)}
      cy={yOf(dot.row) + dot.jitter}
      r="7"
      className="fill-none stroke-brass"
      strokeWidth="2"
    />
  );
}

/** The drawn data, the number of runs left out, and the scale for a width; the same object each time. */
function drawn(data: DistributionReply | undefined) {
  const all = data?.cells.filter(({ values }) => values.length > 0) ?? [];
  const cells = all.slice(0, MAX_CELLS);
  // The same number of each cell, evenly from its lowest to its highest.
  const most = Math.floor(MAX_DOTS / Math.max(1, cells.length));
  const dots = cells.flatMap((cell, row) => dotsOf(thinned(cell, most), row));
  const widest = dots.reduce((max, { value }) => Math.max(max, value), 0) || 1;
  const scales = new Map<number, Scale>();
  return {
    cells,
    dots,
    left: all.reduce((sum, { values }) => sum + values.length, 0) - dots.length,
    scale: (width: number) => {
      const range: [number, number] = [LEFT_PX, width - RIGHT_PX];
      const scale =
        scales.get(width) ??
        (data?.figure === 'seconds'
          ? durationScale(widest, { msPerUnit: 1000, range, rounded: true })
          : scaleLinear([0, widest], range).nice());
      scales.set(width, scale);
      return scale;
    },
  };
}

type Strip = DistributionReply['cells'][number];

function thinned(cell: Strip, most: number): Strip {
  const { values } = cell;
  if (values.length <= most) return cell;
  const step = (values.length - 1) / Math.max(1, most - 1);
  const kept = Array.from({ length: most }, (_, index) => values[Math.round(index * step)]);
  return { ...cell, values: kept.filter((value) => value !== undefined) };
}

function dotsOf({ cell, model, values }: Strip, row: number): Dot[] {
  return values.map((value, index) => ({
    ...value,
    ...{ cell, model, row, jitter: JITTER[index % JITTER.length] ?? 0 },
  }));
}

function yOf(row: number): number {
  return (row + 0.5) * ROW_PX;
}

function verdict({ passed }: FigureValue): string {
  return passed ? 'passed' : 'not passed';
}

function nearest(
  dots: readonly Dot[],
  place: { x: number; y: number },
  x: (value: number) => number,
): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, dot] of dots.entries()) {
    const distance = Math.hypot(x(dot.value) - place.x, yOf(dot.row) + dot.jitter - place.y);
    if (distance < least) {
      least = distance;
      best = index;
    }
  }
  return best;
}
