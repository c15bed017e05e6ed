'use client';

import { ChevronRight } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import type { ListedRun } from '#lib/browser/state/listed-runs.ts';
import { plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useRunList } from '../hooks/use-run-list.ts';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';

/** Shows or hides the runs of a family below its row. */
export function UnfoldButton({
  row: { run, family },
  open,
  onOpen,
}: {
  row: ListedRun;
  open: boolean;
  onOpen: (open: boolean) => void;
}) {
  const name = plainVisibleLine(family?.experiment ?? run.title);
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-label={`${plural(family?.runs ?? 1, 'run')} of ${name}`}
      onClick={() => onOpen(!open)}
      className="grid h-11 w-7 place-items-center rounded-md text-ink-3 hover:text-ink max-sm:w-[44px]"
    >
      <ChevronRight className={cx('size-4 transition-transform', open && 'rotate-90')} aria-hidden="true" />
    </button>
  );
}

/** The runs of a family, newest first. */
export function FamilyRows({
  familyId,
  children,
}: {
  familyId: string;
  children: (run: RunSummary) => ReactNode;
}) {
  const filter = useMemo(() => ({ family: familyId }), [familyId]);
  const { runs, error, reload, hasMore, loadMore, moreError } = useRunList(filter);
  const problem = moreError ?? error;
  return (
    <div className="mb-2 ml-4 border-l-2 border-line-strong sm:ml-9">
      {!runs && !error && <p className="px-4 py-2 text-sm text-ink-3">Loading runs…</p>}
      {runs?.map(({ run }) => children(run))}
      {problem && <Problem error={problem} onRetry={moreError ? loadMore : reload} />}
      {hasMore && (
        <Button ref={passFocusOn} kind="quiet" size="sm" onClick={loadMore} className="ml-2">
          Show more runs
        </Button>
      )}
    </div>
  );
}
