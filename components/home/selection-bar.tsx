'use client';

import {
  Archive,
  ArchiveRestore,
  Download,
  GitCompareArrows,
  Pencil,
  Pin,
  Tag,
  Trash2,
  X,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AnnotatedReply } from '#lib/api/replies.ts';
import type { AnnotationChange } from '#lib/api/run-annotations.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { patchJson, postJson } from '#lib/browser/api.ts';
import { download } from '#lib/browser/download.ts';
import { focusSoon, watchFocus } from '#lib/browser/focus-soon.ts';
import { say } from '#lib/browser/say.ts';
import { comparePath } from '#lib/browser/state/compared-runs.ts';
import { deleteRuns } from '#lib/browser/state/deletions.ts';
import {
  compareProblem,
  deleteProblem,
  type Selection,
  withNewer,
  withoutRuns,
} from '#lib/browser/state/selection.ts';
import { plural } from '#lib/browser/words/format.ts';
import { MAX_SELECTED_RUNS } from '#lib/events/limits.ts';
import { DetailsDialog } from '../annotate/details-dialog.tsx';
import { useReload } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorLine } from '../ui/error-line.tsx';
import { Link } from '../ui/link.tsx';
import { TagsDialog } from './tags-dialog.tsx';

const ACTION = 'max-sm:h-11 max-sm:min-w-11';

/** The actions for the selected runs. */
export function SelectionBar({
  selection,
  onClear,
  onChange,
}: {
  selection: Selection;
  onClear: () => void;
  /** Takes a function, because the selection may have changed by the time of a reply. */
  onChange: (change: (before: Selection) => Selection) => void;
}) {
  const [editing, setEditing] = useState<'tags' | 'details'>();
  const { busy, problem, setProblem, run } = useRequest();
  const reload = useReload();
  const runs = [...selection.values()];
  const [first] = runs;
  if (!first) return null;
  const ids = runs.map(({ id }) => id);
  const archived = runs.every(({ annotations }) => annotations?.archived);
  const pinned = runs.every(({ annotations }) => annotations?.pinned);
  const annotate = (change: object, said: string) =>
    run(async () => {
      const reply = await postJson<{ runs: RunSummary[] }>('/api/selection/annotate', {
        runs: ids,
        ...change,
      });
      onChange((before) => withNewer(before, reply.runs));
      reload('/api/facets');
      say(`${plural(ids.length, 'run')} ${said}`);
    });
  const saveDetails = (change: AnnotationChange) =>
    run(async () => {
      const path = `/api/runs/${encodeURIComponent(first.id)}`;
      const reply = await patchJson<AnnotatedReply>(path, change);
      onChange((before) => withNewer(before, [reply.run]));
    });
  const remove = () =>
    run(async () => {
      const hasMoved = watchFocus();
      await deleteRuns(ids);
      onChange((before) => withoutRuns(before, ids));
      if (!hasMoved()) focusSoon(selectAllBox);
      reload('/api/facets');
    });
  return (
    <section
      aria-label="Selected runs"
      className="sticky bottom-3 z-10 mt-6 rounded-lg border border-line-strong bg-raised p-2 shadow-lg print:hidden"
    >
      <div className="flex flex-wrap items-center gap-1.5">
        <p role="status" className="tnum px-2 text-sm font-medium whitespace-nowrap">
          {`${ids.length} selected`}
          {ids.length === MAX_SELECTED_RUNS && <span className="font-normal text-ink-3"> (the maximum)</span>}
        </p>
        <CompareAction selection={selection} />
        {ids.length === 1 && (
          <Action icon={<Pencil />} label="Edit" onClick={() => setEditing('details')} disabled={busy} />
        )}
        <Action
          icon={<Tag />}
          label="Tag"
          onClick={() => {
            setProblem(undefined);
            setEditing('tags');
          }}
          disabled={busy}
        />
        <Action
          icon={<Pin />}
          label={pinned ? 'Unpin' : 'Pin'}
          disabled={busy}
          onClick={() => void annotate({ pinned: !pinned }, pinned ? 'unpinned' : 'pinned')}
        />
        <Action
          icon={archived ? <ArchiveRestore /> : <Archive />}
          label={archived ? 'Unarchive' : 'Archive'}
          disabled={busy}
          onClick={() => void annotate({ archived: !archived }, archived ? 'unarchived' : 'archived')}
        />
        <Action
          icon={<Download />}
          label="Export"
          title="One zip file with a run file each"
          disabled={busy}
          onClick={() => void run(() => download(`/api/selection/export?runs=${ids.join(',')}`))}
        />
        <Action
          icon={<Trash2 />}
          label="Delete"
          disabled={busy || deleteProblem(selection) !== undefined}
          title={deleteProblem(selection)}
          onClick={() => void remove()}
        />
        <Button
          kind="quiet"
          size="sm"
          className={cx(ACTION, 'ml-auto')}
          onClick={() => {
            onClear();
            focusSoon(selectAllBox);
          }}
          aria-label="Clear the selection"
          title="Clear the selection (Esc)"
        >
          <X className="size-4" aria-hidden="true" />
        </Button>
      </div>
      <Reasons selection={selection} />
      {problem && !editing && (
        <div className="px-2 pt-1">
          <ErrorLine error={problem} />
        </div>
      )}
      {editing === 'tags' && (
        <TagsDialog
          selection={selection}
          request={{ busy, problem }}
          onClose={() => setEditing(undefined)}
          onSave={(change) => annotate(change, 'tagged')}
        />
      )}
      {editing === 'details' && (
        <DetailsDialog
          run={first}
          request={{ busy, problem }}
          onClose={() => setEditing(undefined)}
          onSave={saveDetails}
        />
      )}
    </section>
  );
}

/** Where the focus goes when the bar disappears. */
function selectAllBox(): HTMLElement | null {
  return document.querySelector('input[data-select-run]');
}

function CompareAction({ selection }: { selection: Selection }) {
  const problem = compareProblem(selection);
  const inside = (
    <>
      <GitCompareArrows className="size-4" aria-hidden="true" />
      Compare
    </>
  );
  return problem === undefined ? (
    <Link href={comparePath([...selection.keys()])} className={buttonClass('primary', 'sm', ACTION)}>
      {inside}
    </Link>
  ) : (
    <Button kind="primary" size="sm" className={ACTION} disabled title={problem}>
      {inside}
    </Button>
  );
}

/** Why some actions are unavailable, for people who cannot see tooltips. */
function Reasons({ selection }: { selection: Selection }) {
  const compare = compareProblem(selection);
  const remove = deleteProblem(selection);
  const reasons = [compare, remove && `Delete: ${remove}`].filter(Boolean);
  return reasons.length === 0 ? null : <p className="px-2 pt-1 text-xs text-ink-3">{reasons.join(' ')}</p>;
}

function Action({
  icon,
  label,
  title,
  onClick,
  disabled,
}: {
  icon: ReactNode;
  label: string;
  title?: string | undefined;
  onClick: () => void;
  disabled: boolean;
}) {
  return (
    <Button
      kind="quiet"
      size="sm"
      className={cx(ACTION, '[&>svg]:size-4')}
      onClick={onClick}
      disabled={disabled}
      title={title}
    >
      {icon}
      {label}
    </Button>
  );
}
