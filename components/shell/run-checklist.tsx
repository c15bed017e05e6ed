'use client';

import { useMemo, useState } from 'react';
import type { RunSummary } from '#lib/api/run-summary.ts';
import type { ChosenRun } from '#lib/browser/drafts/kept-rating.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { formatMoment, plural } from '#lib/browser/words/format.ts';
import { noRunsWords } from '#lib/browser/words/run-state-words.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useRunList } from '../hooks/use-run-list.ts';
import { useSettled } from '../hooks/use-settled.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { Problem } from './problem.tsx';

/** Runs to choose from, the newest first, with a search among all of them. The chosen ones stay in view. */
export function RunChecklist<Run extends ChosenRun>({
  chosen,
  max,
  onChange,
}: {
  chosen: readonly (Run | RunSummary)[];
  /** How many can be chosen. */
  max: number;
  /** Runs that were chosen just now come last. */
  onChange: (chosen: readonly (Run | RunSummary)[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const text = useSettled(typed.trim());
  // A search is for certain runs, which may be archived.
  const filter = useMemo(() => (text === '' ? {} : { text, archived: 'all' as const }), [text]);
  const { runs, error, reload, hasMore, loadMore, moreError } = useRunList(filter);
  const listed = new Set(runs?.map(({ run }) => run.id));
  const shown = [...chosen.filter(({ id }) => !listed.has(id)), ...(runs ?? []).map(({ run }) => run)];
  const problem = moreError ?? error;
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">Runs</legend>
      <input
        type="search"
        aria-label="Search runs"
        placeholder="Search titles and models"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        className="field mt-1 max-sm:h-11"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          // Enter would submit the form around it.
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <div className="mt-1 max-h-56 overflow-y-auto">
        {shown.map((run) => (
          <RunChoice
            key={run.id}
            run={run}
            checked={chosen.some(({ id }) => id === run.id)}
            isFull={chosen.length >= max}
            onChange={(checked) =>
              onChange(checked ? [...chosen, run] : chosen.filter(({ id }) => id !== run.id))
            }
          />
        ))}
        {runs?.length === 0 && (
          <p className="py-1 text-sm text-ink-3">{noRunsWords({ filtered: text !== '' })}</p>
        )}
        {!runs && !error && <p className="py-1 text-sm text-ink-3">Loading runs…</p>}
        {problem && <Problem error={problem} onRetry={moreError ? loadMore : reload} />}
        {hasMore && (
          <Button ref={passFocusOn} size="sm" kind="quiet" className="-ml-2.5 max-sm:h-11" onClick={loadMore}>
            Show earlier runs
          </Button>
        )}
      </div>
      <p role="status" className="tnum mt-1 text-sm text-ink-3">
        {chosen.length > 0 && `${plural(chosen.length, 'run')} chosen, at most ${max}`}
      </p>
    </fieldset>
  );
}

/** Runs of an experiment can have the same title and model; their times differ. */
function RunChoice({
  run: { title, model, created_at },
  checked,
  isFull,
  onChange,
}: {
  run: ChosenRun;
  checked: boolean;
  /** No further run can be chosen. */
  isFull: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label
      className={cx(
        'flex items-baseline gap-2 py-1 text-sm max-sm:min-h-11',
        isFull && !checked && 'text-ink-3',
      )}
    >
      <input
        type="checkbox"
        className="translate-y-0.5"
        checked={checked}
        disabled={isFull && !checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0 flex-1">
        <span className="foreign block truncate" title={plainVisibleLine(title)}>
          <ShortName text={title} max={90} />
        </span>
        <span className="flex gap-1 text-xs text-ink-3">
          <span className="foreign truncate" title={plainVisibleLine(model)}>
            <ShortName text={model} max={60} />
          </span>
          <span className="shrink-0">· {formatMoment(created_at)}</span>
        </span>
      </span>
    </label>
  );
}
