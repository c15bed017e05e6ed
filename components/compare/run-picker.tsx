'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import type { RunReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import { formatMoment } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { MAX_COMPARED_RUNS } from '#lib/events/limits.ts';
import { useApi } from '../hooks/use-api.ts';
import { RunChecklist } from '../shell/run-checklist.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { RunMark } from './run-mark.tsx';

/** The compared runs, the first of which is the baseline, and all runs to choose from. */
export function RunPicker({
  ids,
  loaded,
  onChange,
}: {
  ids: readonly string[];
  /** Runs that were compared last. */
  loaded: readonly RunSummary[];
  onChange: (ids: readonly string[]) => void;
}) {
  const [picked, setPicked] = useState<readonly RunSummary[]>([]);
  const [opened, setOpened] = useState(false);
  const [first] = ids;
  // A single run is not compared, so nothing else identifies it.
  const { data } = useApi<RunReply>(
    ids.length === 1 && first !== undefined ? `/api/runs/${encodeURIComponent(first)}` : undefined,
  );
  const known = new Map([...picked, ...(data ? [data.run] : []), ...loaded].map((run) => [run.id, run]));
  const enough = ids.length > 1;
  const choose = (runs: readonly RunSummary[]) => {
    const chosen = runs.map(({ id }) => id);
    setPicked([...picked, ...runs]);
    // Stays open once there are enough, for a third.
    setOpened(true);
    const kept = ids.filter((id) => chosen.includes(id) || !known.has(id));
    onChange([...kept, ...chosen.filter((id) => !ids.includes(id))]);
  };
  return (
    <>
      {ids.length > 0 && (
        <ul
          aria-label="Compared runs"
          className={cx(
            'mt-4 grid gap-x-6 gap-y-3 md:grid-cols-2',
            ids.length === 3 ? 'lg:grid-cols-3 lg:gap-x-3' : '2xl:grid-cols-3',
          )}
        >
          {ids.map((id, index) => (
            // By the letter, so that the focus stays where it is when a run is removed.
            <li key={runLetter(index)} aria-label={`Run ${runLetter(index)}`} className="min-w-0">
              <ComparedRun
                letter={runLetter(index)}
                id={id}
                run={known.get(id)}
                isBaseline={index === 0}
                onRemove={() => onChange(ids.toSpliced(index, 1))}
                onBaseline={() => onChange([id, ...ids.toSpliced(index, 1)])}
              />
            </li>
          ))}
        </ul>
      )}
      {enough && (
        <Button
          size="sm"
          className="mt-4 max-sm:h-11 print:hidden"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          Choose runs
        </Button>
      )}
      {(opened || !enough) && (
        <div className="mt-4 max-w-2xl rounded-lg border bg-surface p-4 print:hidden">
          <RunChecklist
            chosen={ids.flatMap((id) => known.get(id) ?? [])}
            max={MAX_COMPARED_RUNS}
            onChange={choose}
          />
        </div>
      )}
    </>
  );
}

function ComparedRun({
  letter,
  id,
  run,
  isBaseline,
  onRemove,
  onBaseline,
}: {
  letter: string;
  id: string;
  /** Missing until it is loaded. */
  run: RunSummary | undefined;
  isBaseline: boolean;
  onRemove: () => void;
  onBaseline: () => void;
}) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2">
      <RunMark letter={letter} />
      {/* The model comes first, because it distinguishes runs of one task when names are cut. */}
      <p className="foreign truncate" title={run && plainVisibleLine(`${run.model} · ${run.title}`)}>
        {run ? (
          <>
            <ShortName text={run.model} max={60} /> · <ShortName text={run.title} max={90} />
          </>
        ) : (
          <span className="font-mono text-sm">{id}</span>
        )}
      </p>
      <Button
        size="sm"
        kind="quiet"
        className="max-sm:size-11 print:hidden"
        aria-label={`Remove run ${letter}`}
        title="Remove from the comparison"
        onClick={onRemove}
      >
        <X className="size-4" aria-hidden="true" />
      </Button>
      <div className="col-span-2 col-start-2 flex min-h-7 flex-wrap items-center gap-x-3">
        {run && <span className="tnum text-sm text-ink-3">{formatMoment(run.created_at)}</span>}
        <Link
          href={`/runs/${encodeURIComponent(id)}`}
          aria-label={`Open run ${letter}`}
          className="reach text-sm text-brass underline-offset-4 hover:underline print:hidden"
        >
          Open
        </Link>
        {isBaseline ? (
          <Badge>baseline</Badge>
        ) : (
          <Button
            size="sm"
            kind="quiet"
            className="-ml-2.5 max-sm:h-11 print:hidden"
            aria-label={`Make baseline: run ${letter}`}
            onClick={onBaseline}
          >
            Make baseline
          </Button>
        )}
      </div>
    </div>
  );
}
