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

/**
 * Which runs of an experiment count neither as passed nor as failed, and are in no figure, although lists of runs show
 * some of them as failed; empty without any. Pure.
 */
export function leftOutLines(
  cells: readonly Pick<ExperimentCell, 'failed' | 'not_run' | 'stopped'>[],
): string[] {
  const notRun = cells.reduce((sum, { failed, not_run }) => sum + failed + not_run, 0);
  const failedEarly = cells.reduce((sum, { not_run }) => sum + not_run, 0);
  const stopped = cells.reduce((sum, cell) => sum + cell.stopped, 0);
  const parts = [
    ...(notRun > 0 ? [`${plural(notRun, 'run')} that did not run`] : []),
    ...(stopped > 0 ? [`${plural(stopped, 'run')} that ${stopped === 1 ? 'was' : 'were'} stopped`] : []),
  ];
  return [
    ...(parts.length > 0 ? [`Pass rates and figures leave out ${parts.join(' and ')}.`] : []),
    ...(failedEarly > 0
      ? [
          `${plural(failedEarly, 'run')} failed before the model's first reply; the list of runs counts ${failedEarly === 1 ? 'it' : 'them'} as failed.`,
        ]
      : []),
  ];
}

/** How many runs of an experiment have no result yet; empty without any. Pure. */
export function openLines(cells: readonly Pick<ExperimentCell, 'runs' | 'done' | 'failed'>[]): string[] {
  const open = cells.reduce((sum, { runs, done, failed }) => sum + runs - done - failed, 0);
  if (open === 0) return [];
  return [`${plural(open, 'run')} ${open === 1 ? 'has' : 'have'} no result yet.`];
}
