'use client';

import { Search, X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { FacetsReply } from '#lib/api/facets.ts';
import type { RunFilter } from '#lib/api/run-filter.ts';
import { isComposing } from '#lib/browser/typing.ts';
import { MODES } from '#lib/events/modes.ts';
import { OUTCOMES } from '#lib/events/outcome.ts';
import { distinctModels, isSameModel } from '#lib/util/model-name.ts';
import { keysOf } from '#lib/util/records.ts';
import { TYPING_MS } from '../hooks/use-settled.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Choice, DateChoice, FolderChoice, TagChoice } from './filter-choices.tsx';

const states: Record<NonNullable<RunFilter['state']>, string> = {
  active: 'Active',
  waiting: 'Waiting for you',
  ended: 'Ended',
};

const ARCHIVED: Record<NonNullable<RunFilter['archived']>, string> = {
  only: 'Archived',
  all: 'All, archived too',
};

/** The filters of the run list. All are kept in the URL. */
export function RunFilters({
  filter,
  problems,
  models,
  facets,
  onChange,
  input,
  children,
}: {
  filter: RunFilter;
  problems: readonly string[];
  models: readonly string[];
  /** The tags and folders that runs have. */
  facets: FacetsReply | undefined;
  onChange: (filter: RunFilter, how: 'push' | 'replace') => void;
  input: RefObject<HTMLInputElement | null>;
  /** Controls after the filters. */
  children: ReactNode;
}) {
  const { mode, model, reason, outcome, state, archived } = filter;
  // Runs may have used `qwen3` or `qwen3:latest`: both are the same model, and the filter finds both.
  const modelNames = distinctModels(model ? [...models, model] : models);
  const [open, setOpen] = useState(false);
  const some = Object.keys(filter).length > 0 || problems.length > 0;
  const { text: _text, ...chosen } = filter;
  const count = Object.keys(chosen).length;
  const standing = archived
    ? `archived:${archived}`
    : outcome
      ? `outcome:${outcome}`
      : reason
        ? `reason:${reason}`
        : state
          ? `state:${state}`
          : '';
  return (
    <search className="mt-8">
      <div className="flex flex-wrap items-center gap-2">
        <Words filter={filter} onChange={onChange} input={input} />
        {/* They would fill the first screen of a phone. */}
        <Button size="sm" className="h-11 sm:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
          Filter and sort{count > 0 && ` (${count})`}
        </Button>
        <div className={cx('contents', !open && 'max-sm:hidden')}>
          <Choice
            label="Filter by mode"
            any="Any mode"
            value={mode ?? ''}
            onChoose={(value) => onChange({ ...filter, mode: keyOf(MODES, value) }, 'push')}
          >
            {Object.entries(MODES).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Choice>
          <Choice
            label="Filter by model"
            any="Any model"
            value={modelNames.find((name) => model && isSameModel(name, model)) ?? ''}
            onChoose={(value) => onChange({ ...filter, model: value || undefined }, 'push')}
            className="max-w-48 font-mono"
          >
            {modelNames.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Choice>
          <Choice
            label="Filter by state"
            any="Any state"
            value={standing}
            onChoose={(value) => {
              const [kind, name = ''] = value.split(':');
              onChange(
                {
                  ...filter,
                  state: kind === 'state' ? keyOf(states, name) : undefined,
                  outcome: kind === 'outcome' ? keyOf(OUTCOMES, name) : undefined,
                  reason: kind === 'reason' ? reason : undefined,
                  archived: kind === 'archived' ? keyOf(ARCHIVED, name) : undefined,
                },
                'push',
              );
            }}
          >
            {Object.entries(states).map(([value, words]) => (
              <option key={value} value={`state:${value}`}>
                {words}
              </option>
            ))}
            {Object.entries(ARCHIVED).map(([value, words]) => (
              <option key={value} value={`archived:${value}`}>
                {words}
              </option>
            ))}
            <optgroup label="Outcome">
              {keysOf(OUTCOMES).map((value) => (
                <option key={value} value={`outcome:${value}`}>
                  {OUTCOMES[value].label}
                </option>
              ))}
              {/* Addresses made by hand, or by scripts for the API. */}
              {reason && <option value={`reason:${reason}`}>{`Ended by ${reason}`}</option>}
            </optgroup>
          </Choice>
          <TagChoice filter={filter} tags={facets?.tags ?? []} onChange={onChange} />
          <FolderChoice filter={filter} folders={facets?.folders ?? []} onChange={onChange} />
          <DateChoice filter={filter} onChange={onChange} />
          {children}
        </div>
        {some && (
          <Button kind="quiet" size="sm" onClick={() => onChange({}, 'push')}>
            <X className="size-3.5" aria-hidden="true" />
            Clear
          </Button>
        )}
      </div>
      {problems.length > 0 && (
        <p role="alert" className="mt-2 text-sm text-warn">
          This part of the address is ignored: {problems.join(' ')}
        </p>
      )}
    </search>
  );
}

function Words({
  filter,
  onChange,
  input,
}: {
  filter: RunFilter;
  onChange: (filter: RunFilter, how: 'push' | 'replace') => void;
  input: RefObject<HTMLInputElement | null>;
}) {
  const wanted = filter.text ?? '';
  const [typed, setTyped] = useState(wanted);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back and Forward change the address without typing, so update the field.
  useEffect(() => {
    if (timer.current === undefined) setTyped(wanted);
  }, [wanted]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (text: string) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    // The first letter adds a history entry; later ones replace it.
    onChange({ ...filter, text: text.trim() || undefined }, wanted === '' ? 'push' : 'replace');
  };
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(text), TYPING_MS);
  };
  return (
    <label className="relative min-w-[min(14rem,100%)] flex-1 max-sm:basis-full">
      <span className="sr-only">Search all runs</span>
      <Search className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-3" aria-hidden="true" />
      <input
        ref={input}
        type="search"
        value={typed}
        onChange={(event) => type(event.target.value)}
        // Commit before a clicked link navigates, or the late change would replace its address.
        onBlur={() => timer.current !== undefined && commit(typed)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && typed !== '' && !isComposing(event.nativeEvent)) {
            event.preventDefault();
            type('');
          }
        }}
        placeholder="Search titles, replies, arguments and results"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        className="field h-9 pr-9 pl-9 [&::-webkit-search-cancel-button]:hidden"
      />
      {typed === '' && (
        <span
          aria-hidden="true"
          className="absolute top-2 right-2.5 rounded-sm border bg-sunken px-1.5 font-mono text-xs text-ink-3 max-sm:hidden"
        >
          /
        </span>
      )}
    </label>
  );
}

function keyOf<Key extends string>(known: Record<Key, unknown>, text: string): Key | undefined {
  return keysOf(known).find((key) => key === text);
}
