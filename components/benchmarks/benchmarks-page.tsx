'use client';

import { useState } from 'react';
import type { BenchmarkListReply, BenchmarkSummary } from '#lib/api/benchmark.ts';
import { formatCount, formatWhen, plural } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { useNow } from '../hooks/use-now.ts';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { ParentLink } from '../ui/parent-link.tsx';
import { BenchmarkForm } from './benchmark-form.tsx';
import { BenchmarkProgress, BenchmarkStatusBadge } from './benchmark-status.tsx';

const REFRESH_MS = 3000;

/** The benchmarks, and the form for a new one. */
export function BenchmarksPage() {
  const { data, error, reload } = useApi<BenchmarkListReply>('/api/benchmarks', REFRESH_MS);
  const [making, setMaking] = useState(false);
  const none = data?.benchmarks.length === 0;
  // Keep the form open if another page starts the first benchmark, so that no input is lost.
  if (none && !making) setMaking(true);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/suites">Suites</ParentLink>
      <div className="mt-1 flex flex-wrap items-start justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold tracking-[-0.015em]">Function calling</h1>
          <p className="mt-1 max-w-read text-ink-2">
            Cases of the Berkeley Function Calling Leaderboard. Each reply is judged twice: by its native
            calls alone, and as Loupe reads it. The difference is what reading leaked calls is worth.
          </p>
        </div>
        {data && !making && !none && (
          <Button size="sm" className="max-sm:h-11" onClick={() => setMaking(true)}>
            New benchmark
          </Button>
        )}
      </div>
      {error && !data && (
        <div className="mt-6">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {making && <BenchmarkForm onCancel={none ? undefined : () => setMaking(false)} />}
      {data && !none && (
        <ul className="mt-6 divide-y border-y">
          {data.benchmarks.map((benchmark) => (
            <li key={benchmark.id}>
              <BenchmarkLine benchmark={benchmark} />
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}

function BenchmarkLine({ benchmark }: { benchmark: BenchmarkSummary }) {
  const now = useNow();
  const { id, models, categories, status, done, total, created_at } = benchmark;
  return (
    <Link
      href={`/benchmarks/${encodeURIComponent(id)}`}
      className="group -mx-3 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1.5 rounded-md px-3 py-3 hover:bg-surface sm:grid-cols-[minmax(0,1fr)_8rem_5rem_6rem]"
    >
      <span className="min-w-0 max-sm:col-span-2">
        <span className="foreign line-clamp-2 font-medium group-hover:text-brass">
          <ShortName text={models.join(', ')} max={80} />
        </span>
        <span className="tnum text-sm text-ink-3">
          {plural(categories.length, 'category', 'categories')} · {plural(total, 'case')}
        </span>
      </span>
      <span className="max-sm:col-span-2">
        <BenchmarkProgress benchmark={benchmark} />
      </span>
      <span>
        <BenchmarkStatusBadge status={status} />
      </span>
      <span className="tnum text-right font-mono text-xs text-ink-3" suppressHydrationWarning>
        {formatCount(done)}/{formatCount(total)}
        <span className="ml-3 sm:ml-0 sm:block">{formatWhen(created_at, now)}</span>
      </span>
    </Link>
  );
}
