import type { BenchmarkStatus, BenchmarkSummary } from '#lib/api/benchmark.ts';
import { BENCHMARK_STATUS } from '#lib/browser/words/benchmark-words.ts';
import type { Tone } from '#lib/browser/words/end-words.ts';
import { Badge } from '../ui/badge.tsx';

const TONES: Readonly<Record<BenchmarkStatus, Tone>> = {
  waiting: 'calm',
  running: 'live',
  stopped: 'warn',
  finished: 'ok',
};

export function BenchmarkStatusBadge({ status }: { status: BenchmarkStatus }) {
  return <Badge tone={TONES[status]}>{BENCHMARK_STATUS[status]}</Badge>;
}

/** How many cases of a benchmark are done. */
export function BenchmarkProgress({ benchmark: { done, total } }: { benchmark: BenchmarkSummary }) {
  return (
    <div
      role="progressbar"
      aria-label="Cases done"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      className="h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" className="block h-full w-full" aria-hidden="true">
        <rect width={total > 0 ? (done / total) * 100 : 0} height="2" className="fill-ink-2" />
      </svg>
    </div>
  );
}
