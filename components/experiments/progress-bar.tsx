import type { ExperimentSummary } from '#lib/api/experiment.ts';
import { runsOf } from '#lib/browser/words/format.ts';

/** How many runs of an experiment are done, apart from those that did not run. */
export function ProgressBar({ experiment }: { experiment: ExperimentSummary }) {
  const { total, done, failed, not_run = 0 } = experiment;
  const ran = done - not_run;
  const notRun = failed + not_run;
  const share = (count: number) => (total > 0 ? (count / total) * 240 : 0);
  return (
    <svg
      viewBox="0 0 240 8"
      preserveAspectRatio="none"
      className="h-2 w-full"
      role="img"
      aria-label={`${runsOf(ran, total)} done${notRun > 0 ? `, ${notRun} did not run` : ''}`}
    >
      <rect x="0" y="3" width="240" height="2" className="fill-line-strong" />
      <rect x="0" y="1" width={share(ran)} height="6" className="fill-ink-2" />
      <rect x={share(ran)} y="1" width={share(notRun)} height="6" className="fill-fail" />
    </svg>
  );
}
