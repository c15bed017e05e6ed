'use client';

import type { BenchmarkListReply, BenchmarkSummary } from '#lib/api/benchmark.ts';
import { formatCount, formatWhen, plural } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { useInlineForm } from '../hooks/use-inline-form.ts';
import { useNow } from '../hooks/use-now.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Button } from '../ui/button.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { BenchmarkForm } from './benchmark-form.tsx';
import { BenchmarkProgress, BenchmarkStatusBadge } from './benchmark-status.tsx';

const REFRESH_MS = 3000;

/** The benchmarks, and the form for a new one. */
export function BenchmarksPage() {
  const { data, error, reload } = useApi<BenchmarkListReply>('/api/benchmarks', REFRESH_MS);
  const form = useInlineForm();
  const none = data?.benchmarks.length === 0;
  // Keep the form open if another page starts the first benchmark, so that no input is lost.
  if (none && !form.isOpen) form.show();
  return (
    <ListPage
      parent={{ href: '/suites', name: 'Suites' }}
      title="Function calling"
      about="Cases from the Berkeley Function Calling Leaderboard. Each reply is judged twice: by its native calls alone, and with the calls that Loupe finds in its text. The difference is the gain from parsing them."
      actions={
        data &&
        !form.isOpen &&
        !none && (
          <Button id={form.buttonId} size="sm" className="max-sm:h-11" onClick={form.open}>
            New benchmark
          </Button>
        )
      }
      loading={!data && !error}
      error={!data && error}
      onRetry={reload}
    >
      {form.isOpen && <BenchmarkForm id={form.formId} onCancel={none ? undefined : form.close} />}
      {data && !none && (
        <ul className="mt-6 divide-y border-y">
          {data.benchmarks.map((benchmark) => (
            <li key={benchmark.id}>
              <BenchmarkLine benchmark={benchmark} />
            </li>
          ))}
        </ul>
      )}
    </ListPage>
  );
}

function BenchmarkLine({ benchmark }: { benchmark: BenchmarkSummary }) {
  const now = useNow();
  const { id, models, categories, status, done, total, created_at } = benchmark;
  return (
    <Link
      href={`/benchmarks/${encodeURIComponent(id)}`}
      className="group -mx-3 grid grid-cols-[minmax(min-content,1fr)_auto] items-center gap-x-6 gap-y-1.5 rounded-md px-3 py-3 hover:bg-surface sm:grid-cols-[minmax(0,1fr)_8rem_5rem_6rem]"
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
