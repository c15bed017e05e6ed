import type { ExperimentSummary } from '#lib/api/experiment.ts';

/** How many runs of an experiment are done, failed ones apart. */
export function ProgressBar({ experiment }: { experiment: ExperimentSummary }) {
  const { total, done, failed } = experiment;
  const share = (count: number) => (total > 0 ? (count / total) * 240 : 0);
  return (
    <svg
      viewBox="0 0 240 8"
      preserveAspectRatio="none"
      className="h-2 w-full"
      role="img"
      aria-label={`${done} of ${total} runs done${failed > 0 ? `, ${failed} could not start` : ''}`}
    >
      <rect x="0" y="3" width="240" height="2" className="fill-line-strong" />
      <rect x="0" y="1" width={share(done)} height="6" className="fill-ink-2" />
      <rect x={share(done)} y="1" width={share(failed)} height="6" className="fill-fail" />
    </svg>
  );
}
