'use client';

import { durationLabel, durationScale } from '#lib/browser/plots/duration-scale.ts';
import { shareLabels, widestLabel } from '#lib/browser/plots/shared-labels.ts';
import { MARGIN, ValueAxis, ValueLabels, valueScale } from './axes.tsx';
import type { DotInterval } from './dot-intervals.tsx';
import type { PlotColor } from './palette.ts';
import { PlotFigure, type PlotFigureProps } from './plot-figure.tsx';

/** A point with the interval of its height. */
interface ScatterDot extends DotInterval {
  /** In seconds. */
  readonly x: number;
}

type Frame = Pick<PlotFigureProps, 'title' | 'unit' | 'note' | 'table' | 'height' | 'controls' | 'empty'>;

/** The distance of a label from its dot. */
const LABEL_GAP_PX = 6;
/** The highest baseline of a label: one higher up would lie over the buttons above the plot. */
const LABEL_TOP_PX = 10;

/** Values against durations as dots, each with the interval of its value, colored by series. */
export function ScatterDots({
  dots,
  series,
  max,
  format,
  describe,
  open,
  ...frame
}: Frame & {
  /** In the order in which the keyboard moves through them. */
  dots: readonly ScatterDot[];
  series: readonly { label: string; color: PlotColor }[];
  /** The highest value. */
  max: number;
  format: (value: number) => string;
  describe: (index: number) => string;
  open?: (index: number) => void;
}) {
  const widest = dots.reduce((most, { x }) => Math.max(most, x), 0);
  // Labels are right of their dots.
  const labelRoom = LABEL_GAP_PX + widestLabel(dots.map(({ label }) => label));
  const scaleX = (width: number) =>
    durationScale(widest, {
      msPerUnit: 1000,
      range: [MARGIN.left, width - MARGIN.right - labelRoom],
      rounded: true,
    });
  const y = valueScale(max, frame.height);
  return (
    <PlotFigure
      {...frame}
      legend={series}
      points={{
        count: dots.length,
        describe,
        open,
        at: (place, width) => nearest(dots, place, { x: scaleX(width), y }),
      }}
    >
      {({ width, height, cursor }) => {
        const x = scaleX(width);
        return (
          <>
            <ValueAxis scale={y} width={width} height={height} format={format} />
            <ValueLabels
              scale={x}
              {...{ width, height }}
              format={(seconds) => durationLabel(seconds * 1000)}
            />
            {dots.map(({ key, x: at, low, value, high, series: own }, index) => {
              const color = series[own]?.color;
              return (
                <g key={key}>
                  <path
                    d={`M${x(at)} ${y(low)}V${y(high)}`}
                    fill="none"
                    className={color?.stroke}
                    strokeWidth="1.5"
                  />
                  {index === cursor && (
                    <circle cx={x(at)} cy={y(value)} r="8" className="fill-brass-fill opacity-25" />
                  )}
                  <circle cx={x(at)} cy={y(value)} r="3.5" className={color?.fill} />
                </g>
              );
            })}
            {shareLabels(dots.map(({ label, ...dot }) => ({ label, x: x(dot.x), y: y(dot.value) }))).map(
              (shared) => (
                <text
                  key={shared.label}
                  x={shared.x + LABEL_GAP_PX}
                  y={Math.max(shared.y - 5, LABEL_TOP_PX)}
                  className="tnum fill-ink-2 text-2xs"
                >
                  {shared.label}
                </text>
              ),
            )}
          </>
        );
      }}
    </PlotFigure>
  );
}

type Scale = (value: number) => number;

/** The dot that is nearest to a place of the drawing. */
function nearest(
  dots: readonly ScatterDot[],
  place: { x: number; y: number },
  { x, y }: { x: Scale; y: Scale },
): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, dot] of dots.entries()) {
    const distance = Math.hypot(x(dot.x) - place.x, y(dot.value) - place.y);
    if (distance < least) {
      least = distance;
      best = index;
    }
  }
  return best;
}
