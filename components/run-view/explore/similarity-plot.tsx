'use client';

import { measureWords } from '#lib/browser/plots/plot-words.ts';
import { formatCount, formatPercent, plural } from '#lib/browser/words/format.ts';
import type { SimilarityMatrix } from '#lib/events/similarity-matrix.ts';
import { MatrixPlot } from '../../plots/matrix-plot.tsx';

type Point = SimilarityMatrix['points'][number];

/** How alike the reflections of one or several explorations are, each against each. */
export function SimilarityPlot({
  title,
  matrix: { measure, points, values, left_out: leftOut },
  name,
  label = ({ cycle }) => formatCount(cycle),
  open,
}: {
  title: string;
  matrix: SimilarityMatrix;
  /** A reflection as text. */
  name: (point: Point) => string;
  /** Beside its row and below its column. */
  label?: (point: Point) => string;
  open?: (point: Point) => void;
}) {
  const at = (index: number, words: (point: Point) => string) => {
    const point = points[index];
    return point ? words(point) : '';
  };
  return (
    <MatrixPlot
      title={title}
      unit={`by ${measureWords(measure)}; darker is more alike`}
      note={
        leftOut > 0 ? `${plural(leftOut, 'reflection')} left out; the others are evenly spaced.` : undefined
      }
      values={points.length > 1 ? values : []}
      breaks={points.flatMap(({ run }, index) =>
        index > 0 && run !== points[index - 1]?.run ? [index] : [],
      )}
      label={(index) => at(index, label)}
      describe={(index) =>
        `${at(index, name)}: ${nearestWords(values[index] ?? [], index, (other) => at(other, name))}`
      }
      open={open && ((index) => points[index] && open(points[index]))}
      empty="There are fewer than two reflections."
      table={{
        head: ['Reflection', ...points.map(name)],
        rows: () =>
          values.map((row, index) => ({
            key: String(index),
            cells: [at(index, name), ...row.map((value) => (value === null ? '' : formatPercent(value)))],
          })),
      }}
    />
  );
}

/** The reflection that is most similar to one. */
function nearestWords(row: readonly (number | null)[], own: number, name: (index: number) => string): string {
  let nearest: { index: number; value: number } | undefined;
  row.forEach((value, index) => {
    if (index === own || value === null || value <= (nearest?.value ?? 0)) return;
    nearest = { index, value };
  });
  return nearest
    ? `${formatPercent(nearest.value)} like ${name(nearest.index).replace(/^Cycle/, 'cycle')}`
    : 'like no other';
}
