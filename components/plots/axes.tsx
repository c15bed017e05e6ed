import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { labeledTicks, spacedTicks } from '#lib/browser/plots/labeled-ticks.ts';
import { shortText } from '#lib/util/short-text.ts';

/** The room around the marks of a plot, in pixels. */
export const MARGIN = { top: 6, right: 8, bottom: 18, left: 46 };
/** Two labels of the same axis keep at least this distance, in pixels. */
const LABEL_PX = 56;
/** Longer labels are shortened. */
const MAX_LABEL_PX = 112;
/** Width of a character of a label, and the gap between two labels, in pixels. */
const CHARACTER_PX = 6;
const GAP_PX = 8;
const TICK_PX = 34;
/** Values below a plot are labeled about this far from each other, in pixels. */
const VALUE_LABEL_PX = 80;

/** A linear scale from 0 to a round number that is at least `max`. */
export function valueScale(max: number, height: number) {
  return scaleLinear()
    .domain([0, max > 0 ? max : 1])
    .range([height - MARGIN.bottom, MARGIN.top])
    .nice(tickCount(height));
}

function tickCount(height: number): number {
  return Math.max(2, Math.floor((height - MARGIN.top - MARGIN.bottom) / TICK_PX));
}

/** Lines and labels of the values. */
export function ValueAxis({
  scale,
  width,
  height,
  format,
}: {
  scale: ReturnType<typeof valueScale>;
  width: number;
  height: number;
  format: (value: number) => string;
}) {
  return (
    <g>
      {labeledTicks(scale, tickCount(height), format).map(({ value, label }) => (
        <g key={value}>
          <line
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={scale(value)}
            y2={scale(value)}
            className="stroke-line"
            shapeRendering="crispEdges"
          />
          <text
            x={MARGIN.left - 6}
            y={scale(value)}
            textAnchor="end"
            dominantBaseline="middle"
            className="tnum fill-ink-3 text-2xs"
          >
            {label}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The left edge and the width of each of `count` columns, in pixels. */
export function columnsOf(count: number, width: number) {
  const inner = Math.max(1, width - MARGIN.left - MARGIN.right);
  const step = inner / Math.max(1, count);
  return {
    step,
    x: (index: number) => MARGIN.left + index * step,
    center: (index: number) => MARGIN.left + (index + 0.5) * step,
    at: (x: number) => Math.floor((x - MARGIN.left) / step),
  };
}

/** Labels of the values below a plot whose values run from left to right, as many as fit. */
export function ValueLabels({
  scale,
  width,
  height,
  format,
}: {
  scale: ScaleLinear<number, number>;
  width: number;
  height: number;
  format: (value: number) => string;
}) {
  return spacedTicks(scale, Math.floor(width / VALUE_LABEL_PX), format).map(({ value, label }) => (
    <LabelBelow key={value} x={scale(value)} height={height}>
      {label}
    </LabelBelow>
  ));
}

/** A label below a plot, in the middle of a place. */
export function LabelBelow({ x, height, children }: { x: number; height: number; children: string }) {
  return (
    <text x={x} y={height - 4} textAnchor="middle" className="tnum fill-ink-3 text-2xs">
      {children}
    </text>
  );
}

/** Labels below columns, as many as fit; long names are shortened. */
export function ColumnAxis({
  count,
  width,
  height,
  label,
}: {
  count: number;
  width: number;
  height: number;
  label: (index: number) => string;
}) {
  const columns = columnsOf(count, width);
  const labels = Array.from({ length: count }, (_, index) => label(index));
  const longest = labels.reduce((most, { length }) => Math.max(most, length), 0);
  const wanted = Math.min(MAX_LABEL_PX, Math.max(LABEL_PX, longest * CHARACTER_PX + GAP_PX));
  const every = Math.max(1, Math.ceil(wanted / columns.step));
  const room = Math.floor((every * columns.step - GAP_PX) / CHARACTER_PX);
  const labeled = Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
  return (
    <g>
      {labeled.map((index) => (
        <LabelBelow key={index} x={columns.center(index)} height={height}>
          {shortText(labels[index] ?? '', room)}
        </LabelBelow>
      ))}
    </g>
  );
}

/** The column at the cursor. */
export function CursorColumn({
  index,
  count,
  width,
  height,
}: Record<'index' | 'count' | 'width' | 'height', number>) {
  const columns = columnsOf(count, width);
  return (
    <rect
      x={columns.x(index)}
      y={MARGIN.top}
      width={Math.max(2, columns.step)}
      height={height - MARGIN.top - MARGIN.bottom}
      className="fill-brass-fill opacity-25"
    />
  );
}
