'use client';

import { X } from 'lucide-react';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import { formatMoment } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { MAX_COMPARED_RUNS } from '#lib/events/limits.ts';
import { useApi } from '../hooks/use-api.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Link } from '../ui/link.tsx';
import { RunMark } from './run-mark.tsx';

/** Fields for this many runs are there before any is chosen. */
const MIN_FIELDS = 2;

/** The compared runs, each to be chosen among the newest; the first is the baseline. */
export function RunPicker({
  ids,
  chosen,
  onChange,
}: {
  ids: readonly string[];
  /** The chosen runs as far as they are known: an old one is not among the newest. */
  chosen: readonly RunSummary[];
  onChange: (ids: readonly string[]) => void;
}) {
  const { data } = useApi<RunListReply>('/api/runs?limit=100');
  const runs = new Map([...chosen, ...(data?.runs ?? [])].map((run) => [run.id, run]));
  const count = Math.min(MAX_COMPARED_RUNS, Math.max(MIN_FIELDS, ids.length + 1));
  return (
    <ul aria-label="Compared runs" className="mt-4 grid gap-x-6 gap-y-3 md:grid-cols-2 2xl:grid-cols-3">
      {Array.from({ length: count }, (_, index) => (
        <li key={runLetter(index)} className={ids[index] === undefined ? 'print:hidden' : undefined}>
          <RunField
            letter={runLetter(index)}
            id={ids[index]}
            runs={[...runs.values()].filter(({ id }) => id === ids[index] || !ids.includes(id))}
            isBaseline={index === 0}
            placeholder={index < MIN_FIELDS ? 'Choose a run' : 'Add a run'}
            onChoose={(id) => onChange([...ids.slice(0, index), id, ...ids.slice(index + 1)])}
            onRemove={() => onChange(ids.toSpliced(index, 1))}
            onBaseline={() => onChange([...ids.slice(index, index + 1), ...ids.toSpliced(index, 1)])}
          />
        </li>
      ))}
    </ul>
  );
}

function RunField({
  letter,
  id,
  runs,
  isBaseline,
  placeholder,
  onChoose,
  onRemove,
  onBaseline,
}: {
  letter: string;
  id: string | undefined;
  runs: readonly RunSummary[];
  isBaseline: boolean;
  placeholder: string;
  onChoose: (id: string) => void;
  onRemove: () => void;
  onBaseline: () => void;
}) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <RunMark letter={letter} />
      <select
        aria-label={`Run ${letter}`}
        className="field min-w-0 flex-1 truncate py-1.5"
        value={id ?? ''}
        onChange={(event) => onChoose(event.target.value)}
      >
        {id === undefined && <option value="">{placeholder}</option>}
        {id !== undefined && !runs.some((run) => run.id === id) && <option value={id}>{id}</option>}
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            {shortLine(run.model)} · {shortLine(run.title, 60)} · {formatMoment(run.created_at)}
          </option>
        ))}
      </select>
      {id !== undefined && (
        <div className="flex w-full items-center gap-x-2 pl-7">
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
          <Link
            href={`/runs/${encodeURIComponent(id)}`}
            aria-label={`Open run ${letter}`}
            className="reach ml-auto text-sm text-brass underline-offset-4 hover:underline print:hidden"
          >
            Open
          </Link>
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
        </div>
      )}
    </div>
  );
}
