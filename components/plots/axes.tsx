import { scaleLinear } from 'd3-scale';

/** The room around the marks of a plot, in pixels. */
export const MARGIN = { top: 6, right: 8, bottom: 18, left: 46 };
/** Two labels of the same axis keep this distance, in pixels. */
const LABEL_PX = 56;
const TICK_PX = 34;

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
      {scale.ticks(tickCount(height)).map((tick) => (
        <g key={tick}>
          <line
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={scale(tick)}
            y2={scale(tick)}
            className="stroke-line"
            shapeRendering="crispEdges"
          />
          <text
            x={MARGIN.left - 6}
            y={scale(tick)}
            textAnchor="end"
            dominantBaseline="middle"
            className="tnum fill-ink-3 text-2xs"
          >
            {format(tick)}
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

/** Labels below columns, as many as there is room for. */
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
  const every = Math.max(1, Math.ceil(LABEL_PX / columns.step));
  const labelled = Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
  return (
    <g>
      {labelled.map((index) => (
        <text
          key={index}
          x={columns.center(index)}
          y={height - 4}
          textAnchor="middle"
          className="tnum fill-ink-3 text-2xs"
        >
          {label(index)}
        </text>
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
