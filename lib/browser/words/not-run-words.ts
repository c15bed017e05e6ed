import type { ExperimentCell } from '../../api/experiment-cells.ts';
import { plural } from '../../util/numbers.ts';

/** Reasons that are written out; each model of an experiment can have its own. */
const MAX_REASONS = 5;

/**
 * Why runs of an experiment did not run, the most frequent reason first:
 * `2 runs did not run: Model "x" is missing. Run: ollama pull x`. Pure.
 */
export function notRunLines(cells: readonly Pick<ExperimentCell, 'not_run_reasons'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { message, runs } of cells.flatMap(({ not_run_reasons }) => not_run_reasons)) {
    counts.set(message, (counts.get(message) ?? 0) + runs);
  }
  const reasons = [...counts].sort(([, a], [, b]) => b - a);
  const rest = reasons.slice(MAX_REASONS).reduce((sum, [, runs]) => sum + runs, 0);
  return [
    ...reasons
      .slice(0, MAX_REASONS)
      .map(([message, runs]) => `${plural(runs, 'run')} did not run: ${message}`),
    ...(rest > 0 ? [`${plural(rest, 'more run')} did not run, for other reasons.`] : []),
  ];
}
