'use client';

import { useState } from 'react';
import type { SuiteCase } from '#lib/api/suite.ts';
import { keepFocus, passFocusOn } from '#lib/browser/focus-soon.ts';
import { plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { Button } from '../ui/button.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';

/** Cases that are shown before a person asks for all. */
const FIRST = 100;

interface Filter {
  text: string;
  tag: string;
}

/** The cases that match a filter. */
export function CaseTable({
  cases,
  shown,
  filter,
  busy,
  onFilter,
  onEdit,
  onDuplicate,
  onDelete,
}: {
  cases: readonly SuiteCase[];
  shown: readonly SuiteCase[];
  filter: Filter;
  busy: boolean;
  onFilter: (filter: Filter) => void;
  onEdit: (one: SuiteCase) => void;
  onDuplicate: (one: SuiteCase) => void;
  onDelete: (one: SuiteCase) => void;
}) {
  const [all, setAll] = useState(false);
  const tags = [...new Set(cases.flatMap((one) => one.tags ?? []))].sort();
  return (
    <section aria-label="Cases" className="mt-6">
      <search className="flex flex-wrap gap-2">
        <input
          type="search"
          aria-label="Filter cases by text"
          placeholder="Filter cases"
          className="field w-56 max-sm:h-11 max-sm:w-full"
          value={filter.text}
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        />
        {tags.length > 0 && (
          <select
            aria-label="Filter cases by tag"
            className="field w-auto max-w-full max-sm:h-11 max-sm:w-full"
            value={filter.tag}
            onChange={(event) => onFilter({ ...filter, tag: event.target.value })}
          >
            <option value="">All tags</option>
            {tags.map((tag) => (
              <option key={tag} value={tag}>
                {tag}
              </option>
            ))}
          </select>
        )}
        <p role="status" className="tnum self-center text-sm text-ink-3">
          {shown.length === cases.length ? '' : `${shown.length} of ${plural(cases.length, 'case')}`}
        </p>
      </search>
      {shown.length === 0 ? (
        <p className="mt-4 text-ink-2">No cases match.</p>
      ) : (
        <ul ref={keepFocus} className="mt-4 divide-y border-y">
          {shown.slice(0, all ? undefined : FIRST).map((one) => (
            <li key={one.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 py-2.5">
              <CaseSummary one={one} />
              <div className="flex gap-1">
                <Button
                  size="sm"
                  kind="quiet"
                  className="max-sm:h-11"
                  aria-label={`Edit ${one.id}`}
                  onClick={() => onEdit(one)}
                >
                  Edit
                </Button>
                <Menu label="More" name={`More for ${one.id}`} kind="quiet">
                  <button type="button" className={menuItem} onClick={() => onDuplicate(one)}>
                    Duplicate
                  </button>
                  <button
                    type="button"
                    className={menuItem}
                    disabled={busy || cases.length === 1}
                    title={cases.length === 1 ? 'A suite has at least one case.' : undefined}
                    onClick={() => onDelete(one)}
                  >
                    Delete
                  </button>
                </Menu>
              </div>
            </li>
          ))}
        </ul>
      )}
      {!all && shown.length > FIRST && (
        <Button ref={passFocusOn} size="sm" className="mt-3 max-sm:h-11" onClick={() => setAll(true)}>
          Show all {shown.length}
        </Button>
      )}
    </section>
  );
}

function CaseSummary({ one }: { one: SuiteCase }) {
  const { mode = 'task', tags = [], checks = [], files, folder, target } = one;
  const facts = [
    kindFacts(mode).label,
    ...(files ? [plural(Object.keys(files).length, 'file')] : []),
    ...(folder === undefined ? [] : [`copies ${folder}`]),
    ...(checks.length > 0 ? [plural(checks.length, 'check')] : []),
    ...(target === undefined ? [] : ['target']),
    ...tags,
  ];
  return (
    <div className="min-w-0">
      <p className="font-mono text-sm break-all">{one.id}</p>
      {one.input !== '' && (
        <p className="foreign line-clamp-2" title={shortLine(one.input, 1000)}>
          <ForeignText text={shortLine(one.input, 200)} />
        </p>
      )}
      <p className="foreign tnum text-sm text-ink-3">
        <ForeignText text={facts.join(' · ')} />
      </p>
    </div>
  );
}
