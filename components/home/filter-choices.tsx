'use client';

import type { ReactNode } from 'react';
import type { Facet } from '#lib/api/facets.ts';
import { dayOf, daysAgo, type RunFilter, readDay } from '#lib/api/run-filter.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useToday } from '../hooks/use-now.ts';
import { cx } from '../ui/cx.ts';

type OnChange = (filter: RunFilter, how: 'push' | 'replace') => void;

/** A filter with a few values, or none. */
export function Choice({
  label,
  any,
  value,
  onChoose,
  children,
  className,
}: {
  label: string;
  any: string;
  value: string;
  onChoose: (value: string) => void;
  children: ReactNode;
  className?: string;
}) {
  return (
    <label className="max-sm:min-w-0 max-sm:basis-[calc(50%-0.25rem)]">
      <span className="sr-only">{label}</span>
      <select
        value={value}
        onChange={(event) => onChoose(event.target.value)}
        className={cx(
          'field h-9 w-auto py-0 text-sm',
          className,
          'max-sm:h-11 max-sm:w-full max-sm:max-w-none',
          value === '' ? 'font-sans text-ink-2' : 'border-brass-line bg-brass-wash font-medium',
        )}
      >
        <option value="">{any}</option>
        {children}
      </select>
    </label>
  );
}

/** Filters by one tag after the other: each narrows the list further. */
export function TagChoice({
  filter,
  tags,
  onChange,
}: {
  filter: RunFilter;
  tags: readonly Facet[];
  onChange: OnChange;
}) {
  const chosen = filter.tags ?? [];
  if (tags.length === 0 && chosen.length === 0) return null;
  const rest = tags.filter(({ name }) => !chosen.includes(name));
  return (
    <Choice
      label="Filter by tag"
      any="Any tag"
      value={chosen.join(',')}
      onChoose={(value) => {
        const next = value === '' ? undefined : value.split(',');
        onChange({ ...filter, tags: next }, 'push');
      }}
      className="max-w-48"
    >
      {chosen.length > 0 && <option value={chosen.join(',')}>{chosen.join(' + ')}</option>}
      {rest.map(({ name, runs }) => (
        <option key={name} value={[...chosen, name].join(',')}>
          {`${chosen.length > 0 ? '+ ' : ''}${name} (${runs})`}
        </option>
      ))}
    </Choice>
  );
}

/** Filters by the folder that was named for the run. */
export function FolderChoice({
  filter,
  folders,
  onChange,
}: {
  filter: RunFilter;
  folders: readonly Facet[];
  onChange: OnChange;
}) {
  const { folder } = filter;
  if (folders.length === 0 && folder === undefined) return null;
  const known = folders.some(({ name }) => name === folder);
  return (
    <Choice
      label="Filter by folder"
      any="Any folder"
      value={folder ?? ''}
      onChoose={(value) => onChange({ ...filter, folder: value || undefined }, 'push')}
      className="max-w-48"
    >
      {folder !== undefined && !known && <option value={folder}>{plainVisibleLine(folder)}</option>}
      {folders.map(({ name, runs }) => (
        <option key={name} value={name}>{`${plainVisibleLine(name)} (${runs})`}</option>
      ))}
    </Choice>
  );
}

const PERIODS = [
  { days: 0, label: 'Today' },
  { days: 6, label: 'Last 7 days' },
  { days: 29, label: 'Last 30 days' },
] as const;
const OWN_DATES = 'own';

/** Filters by when a run was created: a period that ends today, or a custom range of days. */
export function DateChoice({ filter, onChange }: { filter: RunFilter; onChange: OnChange }) {
  const { since, until } = filter;
  const today = useToday();
  const period = until === undefined && PERIODS.find(({ days }) => daysAgo(days, today) === since);
  const own = (since !== undefined || until !== undefined) && !period;
  const choose = (value: string) => {
    const next =
      value === ''
        ? { since: undefined, until: undefined }
        : value === OWN_DATES
          ? { since: since ?? daysAgo(7, today), until: until ?? daysAgo(-1, today) }
          : { since: daysAgo(Number(value), today), until: undefined };
    onChange({ ...filter, ...next }, 'push');
  };
  return (
    <>
      <Choice
        label="Filter by date"
        any="Any date"
        value={own ? OWN_DATES : period ? String(period.days) : ''}
        onChoose={choose}
      >
        {PERIODS.map(({ days, label }) => (
          <option key={days} value={days}>
            {label}
          </option>
        ))}
        <option value={OWN_DATES}>From … to …</option>
      </Choice>
      {own && (
        <>
          <Day
            label="From"
            value={since === undefined ? '' : dayOf(since)}
            onChange={(day) => onChange({ ...filter, since: readDay(day) }, 'push')}
          />
          <Day
            label="To"
            value={until === undefined ? '' : dayOf(until, -1)}
            onChange={(day) => onChange({ ...filter, until: readDay(day, 1) }, 'push')}
          />
        </>
      )}
    </>
  );
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <label className="flex items-center gap-1.5 text-sm text-ink-3">
      {label}
      <input
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="field h-9 w-auto py-0 text-sm max-sm:h-11"
      />
    </label>
  );
}
