'use client';

import { ChevronDown } from 'lucide-react';
import type { CheckReply } from '#lib/api/model-check.ts';
import type { InstalledModel } from '#lib/api/replies.ts';
import { useApi } from '../hooks/use-api.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { CheckBadge } from './check-badge.tsx';
import { CheckDetails } from './check-details.tsx';
import { CheckProgress } from './check-progress.tsx';
import type { Checking } from './use-check.ts';

/** A model's last check result, which opens its details, and the button that starts a check. */
export function CheckControls({
  model,
  checking,
  open,
  onToggle,
}: {
  model: InstalledModel;
  checking: Checking;
  open: boolean;
  onToggle: () => void;
}) {
  const { check, name } = model;
  const own = checking.running && checking.progress?.model === name;
  const other = checking.running && !own ? checking.progress?.model : undefined;
  const words = own ? 'Checking' : check ? 'Check again' : 'Check';
  return (
    <>
      {check && (
        <button
          type="button"
          aria-expanded={open}
          className="inline-flex min-h-6 items-center gap-1 rounded-sm text-ink-3 hover:text-ink"
          onClick={onToggle}
        >
          <span className="sr-only">Model Check of {name}: </span>
          <CheckBadge check={check} />
          <ChevronDown
            aria-hidden="true"
            className={cx('size-3.5 transition-transform', open && 'rotate-180')}
          />
        </button>
      )}
      <Button
        size="sm"
        disabled={checking.running}
        title={
          other
            ? `${other} is being checked; one model at a time`
            : 'Ten small tasks, judged by rules: can it drive an agent here? Takes a minute or two.'
        }
        aria-label={`${words}: ${name}`}
        onClick={() => void checking.start(name)}
      >
        {words}
      </Button>
    </>
  );
}

/** Below a model: its check in progress, and the details of its last result if open. */
export function CheckState({
  model,
  checking,
  open,
}: {
  model: InstalledModel;
  checking: Checking;
  open: boolean;
}) {
  const { progress, problem } = checking;
  const own = progress?.model === model.name && progress.status !== 'done' ? progress : undefined;
  return (
    <>
      {problem?.model === model.name && (
        <div className="sm:col-span-2">
          <ErrorNote error={problem.error} />
        </div>
      )}
      {own && <CheckProgress progress={own} onStop={() => void checking.stop(model.name)} />}
      {open && model.check && <StoredCheck key={model.check.ended_at} check={model.check} />}
    </>
  );
}

function StoredCheck({ check }: { check: NonNullable<InstalledModel['check']> }) {
  // By the name it was checked under, which may be another name of the same version.
  const query = new URLSearchParams({ model: check.model, digest: check.digest });
  const { data, error } = useApi<CheckReply>(`/api/models/check/result?${query}`);
  return (
    <div className="min-w-0 sm:col-span-2" aria-busy={!data && !error}>
      {data && <CheckDetails check={data.check} summary={data.summary} outdated={check.outdated} />}
      {error && !data && <ErrorNote error={error} />}
    </div>
  );
}
