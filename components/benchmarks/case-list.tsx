'use client';

import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { BenchmarkCasesReply, BenchmarkResult, BenchmarkSummary } from '#lib/api/benchmark.ts';
import { CATEGORIES } from '#lib/api/benchmark-categories.ts';
import { MAX_LISTED_CASES, RESULT_FILTERS } from '#lib/api/benchmark-filter.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { FILTER_WORDS } from '#lib/browser/words/benchmark-words.ts';
import { formatCount, formatDuration, plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { useVersioned } from '../hooks/use-api.ts';
import { useQuery } from '../hooks/use-query.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { CaseEvidence } from './case-evidence.tsx';

/** Rows that are shown at first, and with each further step. */
const STEP = 50;

/** The cases with their judgments; each opens what was sent, replied, read and judged. */
export function CaseList({ path, benchmark }: { path: string; benchmark: BenchmarkSummary }) {
  const [query, change] = useQuery();
  const [shown, setShown] = useState(STEP);
  const filter = RESULT_FILTERS.find((known) => known === query.get('filter')) ?? 'all';
  const model = query.get('model') ?? '';
  const category = query.get('category') ?? '';
  const opened = query.get('case');
  const chosen = [
    ...(filter === 'all' ? [] : [FILTER_WORDS[filter]]),
    ...benchmark.categories.flatMap(({ name }) => (name === category ? [CATEGORIES[name].label] : [])),
    ...(model === '' ? [] : [shortLine(model, 60)]),
  ];
  const asked = new URLSearchParams({ filter, limit: String(shown) });
  if (model) asked.set('model', model);
  if (category) asked.set('category', category);
  const { data, error } = useVersioned<BenchmarkCasesReply>(`${path}/cases?${asked}`, benchmark.done);
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    if (value === '') next.delete(name);
    else next.set(name, value);
    change(next, 'replace');
  };
  return (
    <>
      <search className="mt-2 flex flex-wrap gap-3">
        <Select
          label="Cases"
          value={filter}
          options={RESULT_FILTERS.map((value) => ({ value, label: FILTER_WORDS[value] }))}
          onChange={(value) => set('filter', value === 'all' ? '' : value)}
        />
        <Select
          label="Category"
          value={category}
          options={[
            { value: '', label: 'All categories' },
            ...benchmark.categories.map(({ name }) => ({ value: name, label: CATEGORIES[name].label })),
          ]}
          onChange={(value) => set('category', value)}
        />
        {benchmark.models.length > 1 && (
          <Select
            label="Model"
            value={model}
            options={[
              { value: '', label: 'All models' },
              ...benchmark.models.map((name) => ({ value: name, label: shortLine(name, 60) })),
            ]}
            onChange={(value) => set('model', value)}
          />
        )}
      </search>
      {/* The list may still be that of the filters before. */}
      {error && <ErrorNote error={error} />}
      {data && (
        <>
          <p className="tnum mt-2 text-sm text-ink-3">
            {data.total === 0 ? 'No cases match.' : plural(data.total, 'case')}
            {chosen.length > 0 && <span className="hidden print:inline"> ({chosen.join(', ')})</span>}
          </p>
          <ul aria-label="Cases" className="mt-1 divide-y border-y">
            {data.cases.map((result) => (
              <CaseRow
                key={result.position}
                path={path}
                result={result}
                withModel={benchmark.models.length > 1}
                open={opened === String(result.position)}
                onToggle={(open) => set('case', open ? String(result.position) : '')}
              />
            ))}
          </ul>
          {data.cases.length < data.total && shown < MAX_LISTED_CASES && (
            <Button
              ref={passFocusOn}
              size="sm"
              className="mt-3 max-sm:h-11"
              onClick={() => setShown(Math.min(shown + STEP, MAX_LISTED_CASES))}
            >
              Show more cases
            </Button>
          )}
          {data.cases.length < data.total && shown >= MAX_LISTED_CASES && (
            <p className="mt-3 text-sm text-ink-3">
              Only the first {formatCount(MAX_LISTED_CASES)} are listed. Filter them, or download all as CSV.
            </p>
          )}
        </>
      )}
    </>
  );
}

function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}) {
  return (
    <label className="flex items-center gap-2 text-sm">
      <span className="sr-only">{label}</span>
      <select
        className="field w-auto max-sm:h-11"
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

function CaseRow({
  path,
  result,
  withModel,
  open,
  onToggle,
}: {
  path: string;
  result: BenchmarkResult;
  withModel: boolean;
  open: boolean;
  onToggle: (open: boolean) => void;
}) {
  const { position, case_id, model, native, read, duration_ms } = result;
  return (
    <li data-case={position}>
      <button
        type="button"
        aria-expanded={open}
        className="flex w-full flex-wrap items-center gap-x-2.5 gap-y-1 py-2 text-left hover:bg-surface max-sm:min-h-11"
        onClick={() => onToggle(!open)}
      >
        <ChevronRight
          aria-hidden="true"
          className={cx('size-3.5 shrink-0 text-ink-3 transition-transform', open && 'rotate-90')}
        />
        <span className="foreign min-w-0 flex-1 font-mono text-xs max-sm:basis-[calc(100%-2rem)]">
          <ShortName text={case_id} />
          {withModel && (
            <span className="ml-2 text-ink-3">
              <ShortName text={model} />
            </span>
          )}
        </span>
        <Reading label="native" judged={native} />
        <Reading label="Loupe" judged={read} />
        <span className="tnum w-14 text-right font-mono text-xs text-ink-3 max-sm:ml-auto">
          {formatDuration(duration_ms)}
        </span>
      </button>
      {open && <CaseEvidence path={path} position={position} />}
    </li>
  );
}

function Reading({ label, judged }: { label: string; judged: BenchmarkResult['read'] }) {
  if (!judged) return <Badge>{label}: no reply</Badge>;
  return (
    <Badge tone={judged.right ? 'ok' : 'warn'}>
      {label}: {judged.right ? 'right' : 'wrong'}
    </Badge>
  );
}
