'use client';

import type { ForksReply } from '#lib/api/fork-run.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { comparePath } from '#lib/browser/state/compared-runs.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { ForkMark } from '../run-view/fork-mark.tsx';
import { useRun } from '../run-view/run-context.tsx';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';

const REFRESH_MS = 15_000;

interface Branch {
  id: string;
  label: string;
  title: string;
  /** The last event that both branches share, so that switching keeps the reader's position. */
  seq: number | undefined;
}

/** Links to the parent, siblings and forks of a run, at the event where they diverge. */
export function Family() {
  const runId = useRun((view) => view.run.runId);
  const { data } = useApi<ForksReply>(`/api/runs/${encodeURIComponent(runId)}/forks`, REFRESH_MS);
  if (!data || (!data.parent && data.forks.length === 0)) return null;
  const parted = data.siblings.find(({ id }) => id === runId)?.parent?.seq;
  return (
    <nav
      aria-label="Forks"
      className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1.5 text-sm print:hidden"
    >
      {data.parent && (
        <Branches
          current={runId}
          branches={[
            { id: data.parent.id, label: 'Original', title: titleOf(data.parent), seq: parted },
            ...data.siblings.map((run, index) => branchOf(run, index)),
          ]}
        />
      )}
      {data.forks.length > 0 && (
        <Branches
          current={runId}
          branches={[
            { id: runId, label: data.parent ? 'This fork' : 'Original', title: 'This run', seq: undefined },
            ...data.forks.map((run, index) => branchOf(run, index)),
          ]}
        />
      )}
      {data.parent && (
        <Link
          href={comparePath([data.parent.id, runId])}
          className="text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
        >
          Compare with the original
        </Link>
      )}
    </nav>
  );
}

function branchOf(run: RunSummary, index: number): Branch {
  return { id: run.id, label: `Fork ${index + 1}`, title: titleOf(run), seq: run.parent?.seq };
}

function titleOf({ title, model }: RunSummary): string {
  return `${shortLine(title)} (${shortLine(model, 60)})`;
}

function Branches({ current, branches }: { current: string; branches: readonly Branch[] }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <ForkMark className="size-4 shrink-0 text-ink-3" />
      <span className="flex min-w-0 overflow-x-auto rounded-md border border-line-strong bg-raised">
        {branches.map(({ id, label, title, seq }) => (
          <Link
            key={id}
            href={`/runs/${encodeURIComponent(id)}${seq === undefined ? '' : `#${seq}`}`}
            aria-current={id === current ? 'page' : undefined}
            title={title}
            className={cx(
              'border-r px-2 py-0.5 text-xs whitespace-nowrap last:border-r-0 focus-visible:outline-offset-[-2px]',
              id === current ? 'bg-brass-wash font-semibold text-brass' : 'text-ink-2 hover:text-ink',
            )}
          >
            {label}
          </Link>
        ))}
      </span>
    </span>
  );
}
