'use client';

import { scaleLinear } from 'd3-scale';
import { useMemo } from 'react';
import type { AlignedTime } from '#lib/browser/plots/aligned-times.ts';
import { TIME_KINDS } from '#lib/browser/plots/series.ts';
import { MARGIN } from './axes.tsx';
import { TIME_COLORS } from './palette.ts';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

const ROW_PX = 26;
const GAP_PX = 8;
const AXIS_PX = 18;
const LABEL_PX = 40;

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'legend' | 'controls' | 'empty'>;

/** The timelines of several runs above each other, iteration by iteration. */
export function AlignedRows({
  times,
  labels,
  describe,
  open,
  ...frame
}: Frame & {
  times: readonly AlignedTime[];
  /** A name per run. */
  labels: readonly string[];
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const last = times.at(-1);
  const length = last ? last.start + last.length : 0;
  return (
    <PlotFigure
      {...frame}
      height={rowsHeight(labels.length) + AXIS_PX}
      points={{
        count: times.length,
        describe,
        open,
        at: ({ x }, width) => {
          const place = scaleOf(length, width).invert(x);
          const index = times.findIndex(({ start, length: own }) => place < start + own);
          return index < 0 ? times.length - 1 : index;
        },
      }}
    >
      {({ width, cursor }) => (
        <Rows times={times} labels={labels} length={length} width={width} cursor={cursor} />
      )}
    </PlotFigure>
  );
}

function rowsHeight(count: number): number {
  return count * (ROW_PX + GAP_PX) - GAP_PX;
}

function scaleOf(length: number, width: number) {
  return scaleLinear()
    .domain([0, length > 0 ? length : 1])
    .range([MARGIN.left, Math.max(MARGIN.left + 1, width - MARGIN.right)]);
}

function Rows({
  times,
  labels,
  length,
  width,
  cursor,
}: {
  times: readonly AlignedTime[];
  labels: readonly string[];
  length: number;
  width: number;
  cursor: number | undefined;
}) {
  const scale = useMemo(() => scaleOf(length, width), [length, width]);
  const chosen = cursor === undefined ? undefined : times[cursor];
  const bottom = rowsHeight(labels.length);
  let labeled = Number.NEGATIVE_INFINITY;
  return (
    <>
      {labels.map((label, row) => (
        <g key={label} transform={`translate(0 ${row * (ROW_PX + GAP_PX)})`}>
          <text
            x={MARGIN.left - 8}
            y={ROW_PX / 2}
            textAnchor="end"
            dominantBaseline="middle"
            className="fill-ink-2 text-xs font-semibold"
          >
            {label}
          </text>
          <Row times={times} run={row} scale={scale} />
        </g>
      ))}
      {times.map(({ position, start }) => {
        const x = scale(start);
        const shown = position > 0 && x - labeled >= LABEL_PX;
        if (shown) labeled = x;
        return (
          <g key={position}>
            {shown && (
              <>
                <line x1={x} x2={x} y1={0} y2={bottom} className="stroke-ink-3" strokeDasharray="2 3" />
                <text x={x + 2} y={bottom + AXIS_PX - 4} className="tnum fill-ink-3 text-2xs">
                  {position}
                </text>
              </>
            )}
          </g>
        );
      })}
      {chosen && (
        <rect
          x={scale(chosen.start)}
          y={0}
          width={Math.max(2, scale(chosen.start + chosen.length) - scale(chosen.start))}
          height={bottom}
          fill="none"
          className="stroke-brass"
          strokeWidth="2"
        />
      )}
    </>
  );
}

/** One path per kind, so that runs of any length take few elements. */
function Row({
  times,
  run,
  scale,
}: {
  times: readonly AlignedTime[];
  /** Its index in `times`. */
  run: number;
  scale: ReturnType<typeof scaleOf>;
}) {
  const paths = useMemo(() => {
    const drawn = new Map(TIME_KINDS.map((kind) => [kind, '']));
    for (const { start, runs } of times) {
      let at = start;
      for (const { kind, length } of runs[run]?.segments ?? []) {
        drawn.set(kind, `${drawn.get(kind)}M${scale(at)} 0H${scale(at + length)}V${ROW_PX}H${scale(at)}z`);
        at += length;
      }
    }
    return [...drawn];
  }, [times, run, scale]);
  return paths.map(([kind, path]) => <path key={kind} d={path} className={TIME_COLORS[kind].fill} />);
}
