'use client';

import { CornerDownRight, ListFilter, Rows3, Search, X } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { DENSITY_WORDS, nextDensity } from '#lib/browser/prefs/density.ts';
import { say } from '#lib/browser/say.ts';
import {
  ALL_ROWS,
  isAllRows,
  ROW_KIND_WORDS,
  ROW_KINDS,
  type RowFilter,
  toolNames,
} from '#lib/browser/state/row-filter.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { useLatched } from '../../hooks/use-latched.ts';
import { cx } from '../../ui/cx.ts';
import { useRun } from '../run-context.tsx';
import type { RunView } from './view-switch.tsx';
import { ViewSwitch } from './view-switch.tsx';

/** Which rows are shown and how closely, always in sight: a filtered run must not look like a short one. */
export const TimelineBar = memo(function TimelineBar({
  filter,
  problems,
  shown,
  view,
  onChange,
  onSearch,
  onGoTo,
}: {
  filter: RowFilter;
  problems: readonly string[];
  /** How many rows pass. */
  shown: number;
  /** The view of a conversation, and how to change it. */
  view?: { chosen: RunView; choose: (view: RunView) => void };
  onChange: (filter: RowFilter) => void;
  onSearch: () => void;
  onGoTo: () => void;
}) {
  const all = isAllRows(filter);
  // A run that is followed changes with every frame; the bar does not.
  const count = useRun((view) => (all ? 0 : view.timeline.rows.length));
  const choosesRows = view?.chosen !== 'chat';
  return (
    <div ref={keepFocus} className="border-b bg-surface print:hidden">
      <div
        role="toolbar"
        aria-label="Rows"
        className={cx(
          'flex min-h-9 items-center gap-1 pr-2 touch:min-h-12 sm:pr-5',
          // On a phone, the choice of rows is on a separate line if there is a choice of views.
          view && 'max-sm:flex-wrap',
        )}
      >
        {view && (
          <span className="shrink-0 pl-2 sm:pl-5">
            <ViewSwitch view={view.chosen} onChange={view.choose} />
          </span>
        )}
        {/* Content that does not fit fades out at the edge, to hint that there is more. */}
        {/* `relative`: it clips hidden labels too, which are positioned; they would widen the page. */}
        {choosesRows && (
          <div
            className={cx(
              'relative flex min-w-0 flex-1 scroll-px-6 items-center gap-1 overflow-x-auto py-1 touch:py-0 pr-6 pl-2 [mask-image:linear-gradient(to_right,transparent,black_0.5rem,black_calc(100%-1.5rem),transparent)] [scrollbar-width:none] sm:pl-5',
              view && 'max-sm:order-last max-sm:basis-full',
            )}
          >
            <RowChoice filter={filter} onChange={onChange} />
          </div>
        )}
        {!all && (
          <button
            type="button"
            onClick={() => onChange(ALL_ROWS)}
            className="tnum flex h-6 shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs text-ink-2 hover:bg-sunken hover:text-ink"
          >
            <X className="size-3" aria-hidden="true" />
            <span>
              {formatCount(shown)} of {formatCount(count)}
              <span className="sr-only"> rows; show all</span>
            </span>
          </button>
        )}
        <FilterStatus
          filter={filter}
          words={all ? '' : `${formatCount(shown)} of ${formatCount(count)} rows`}
        />
        <span className="ml-auto flex shrink-0 items-center">
          <Tool label="Search in this run (/)" onClick={onSearch}>
            <Search className="size-3.5" aria-hidden="true" />
          </Tool>
          <Tool label="Go to an iteration (Ctrl G)" onClick={onGoTo}>
            <CornerDownRight className="size-3.5" aria-hidden="true" />
          </Tool>
          <Tool label="Row density (d)" onClick={() => say(DENSITY_WORDS[nextDensity()])}>
            <Rows3 className="size-3.5" aria-hidden="true" />
          </Tool>
        </span>
      </div>
      {problems.length > 0 && (
        <p role="alert" className="px-3 pb-2 text-sm text-warn sm:px-6">
          This part of the address is ignored: {problems.join(' ')}{' '}
          {all && (
            <button
              type="button"
              onClick={() => onChange(ALL_ROWS)}
              className="reach font-medium underline underline-offset-4"
            >
              Dismiss
            </button>
          )}
        </p>
      )}
    </div>
  );
});

/** Announces how many rows pass when the filter changes, and not with each row that a run in progress adds. */
function FilterStatus({ filter, words }: { filter: RowFilter; words: string }) {
  return (
    <span role="status" className="sr-only">
      {useLatched(words, filter)}
    </span>
  );
}

/** Which kinds of rows are shown, and the calls of which tool. */
function RowChoice({ filter, onChange }: { filter: RowFilter; onChange: (filter: RowFilter) => void }) {
  const { kinds, failed, tool } = filter;
  return (
    <>
      <ListFilter className="mr-1 size-3.5 shrink-0 text-ink-3" aria-hidden="true" />
      {ROW_KINDS.map((kind) => (
        <Chip
          key={kind}
          on={kinds.includes(kind)}
          title={ROW_KIND_WORDS[kind].title}
          onClick={() =>
            onChange({
              ...filter,
              kinds: kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind],
            })
          }
        >
          {ROW_KIND_WORDS[kind].label}
        </Chip>
      ))}
      <span className="mx-1 h-4 w-px shrink-0 bg-line-strong" aria-hidden="true" />
      <Chip on={failed} title="Only what failed (e)" onClick={() => onChange({ ...filter, failed: !failed })}>
        Problems
      </Chip>
      <ToolChoice value={tool} onChoose={(name) => onChange({ ...filter, tool: name })} />
    </>
  );
}

function ToolChoice({
  value,
  onChoose,
}: {
  value: string | undefined;
  onChoose: (name: string | undefined) => void;
}) {
  const names = useRun((view) => toolNames(view.timeline.rows).join('\n'))
    .split('\n')
    .filter(Boolean);
  if (names.length === 0 && value === undefined) return null;
  return (
    <label className="shrink-0">
      <span className="sr-only">Only the calls of a tool</span>
      <select
        value={value ?? ''}
        onChange={(event) => onChoose(event.target.value || undefined)}
        className={cx(
          'h-6 max-w-40 rounded-sm [field-sizing:content] bg-transparent px-1 text-xs hover:bg-sunken',
          value === undefined
            ? 'font-medium text-ink-2 hover:text-ink'
            : 'bg-brass-wash font-mono font-medium text-brass',
        )}
      >
        <option value="">Any tool</option>
        {[...new Set([...names, ...(value === undefined ? [] : [value])])].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Chip({
  on,
  title,
  onClick,
  children,
}: {
  on: boolean;
  title: string;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={on}
      title={title}
      onClick={onClick}
      className={cx(
        'h-6 shrink-0 rounded-sm px-2 text-xs font-medium whitespace-nowrap',
        on ? 'bg-brass-wash text-brass' : 'text-ink-2 hover:bg-sunken hover:text-ink',
      )}
    >
      {children}
    </button>
  );
}

function Tool({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="grid size-7 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink"
    >
      {children}
    </button>
  );
}
