import type { BenchmarkCell } from '#lib/api/benchmark.ts';
import { cellName, rateWords } from '#lib/browser/words/benchmark-words.ts';
import { formatPercent } from '#lib/browser/words/format.ts';
import { modelLabel } from '#lib/browser/words/model-label.ts';
import { DotIntervals } from '../plots/dot-intervals.tsx';
import { PLOT_COLORS } from '../plots/palette.ts';

const SERIES = [
  { label: 'Native alone', color: PLOT_COLORS[1] },
  { label: 'With Loupe', color: PLOT_COLORS[0] },
];
const READINGS = ['native', 'read'] as const;

/** The accuracy by model and category, both readings side by side. */
export function AccuracyPlot({ cells }: { cells: readonly BenchmarkCell[] }) {
  // A cell has both readings, or none while no reply is judged.
  const dots = cells.flatMap((cell) => {
    const { native, read } = cell;
    return native && read
      ? READINGS.map((reading, series) => ({ cell, reading, series, rate: { native, read }[reading] }))
      : [];
  });
  if (dots.length === 0) return null;
  const isOneModel = new Set(cells.map(({ model }) => model)).size === 1;
  const nameOf = (cell: BenchmarkCell) =>
    isOneModel ? cellName(cell) : `${modelLabel(cell.model)}, ${cellName(cell)}`;
  return (
    <section aria-label="Plot" className="mt-6">
      <DotIntervals
        title="Accuracy"
        unit="by category, with 95% interval"
        height={220}
        max={1}
        series={SERIES}
        perLabel={READINGS.length}
        dots={dots.map(({ cell, reading, series, rate }) => ({
          key: `${cell.model} ${cell.category} ${reading}`,
          label: String(cells.indexOf(cell) + 1),
          ...{ series, value: rate.share, low: rate.low, high: rate.high },
        }))}
        format={formatPercent}
        describe={(index) => {
          const dot = dots[index];
          return dot
            ? `${cells.indexOf(dot.cell) + 1}: ${nameOf(dot.cell)}, ${SERIES[dot.series]?.label.toLowerCase()}: ${rateWords(dot.rate)}`
            : '';
        }}
        table={{
          head: ['Category', 'Reading', 'Right', 'Low', 'High'],
          rows: () =>
            dots.map(({ cell, reading, series, rate }) => ({
              key: `${cell.model} ${cell.category} ${reading}`,
              cells: [
                nameOf(cell),
                SERIES[series]?.label ?? '',
                ...[rate.share, rate.low, rate.high].map(formatPercent),
              ],
            })),
        }}
      />
    </section>
  );
}
