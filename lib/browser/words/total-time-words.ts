import type { ExperimentCell } from '../../api/experiment-cells.ts';
import { formatDuration, plural } from './format.ts';

/**
 * How long the judged runs of an experiment took in total, and how many these are if others have ended as well: `39 s`,
 * `39 s in 66 judged runs`; `undefined` before there is one. Pure.
 */
export function totalTimeWords(
  cells: readonly Pick<ExperimentCell, 'figures' | 'judged' | 'done' | 'failed'>[],
): string | undefined {
  let seconds = 0;
  let judged = 0;
  let ended = 0;
  for (const cell of cells) {
    const { mean = 0, runs = 0 } = cell.figures.seconds ?? {};
    seconds += mean * runs;
    judged += cell.judged;
    ended += cell.done + cell.failed;
  }
  if (judged === 0) return undefined;
  const time = formatDuration(seconds * 1000);
  return judged < ended ? `${time} in ${plural(judged, 'judged run')}` : time;
}
