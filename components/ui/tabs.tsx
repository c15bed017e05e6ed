'use client';

import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

export interface Tab<Id extends string> {
  id: Id;
  label: ReactNode;
}

/** A row of tabs over one panel; arrow keys move between them. */
export function Tabs<Id extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  children,
}: {
  label: string;
  tabs: readonly Tab<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
  children: ReactNode;
}) {
  const id = useId();
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const place = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(place + by + tabs.length) % tabs.length];
    if (by === 0 || !next) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="flex flex-wrap gap-x-1 border-b" onKeyDown={step}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
            className={cx(
              '-mb-px border-b-2 px-1.5 pb-1 font-sans text-sm font-medium max-sm:h-9',
              tab.id === chosen
                ? 'border-brass-fill text-ink'
                : 'border-transparent text-ink-3 hover:text-ink',
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`} className="min-w-0 pt-2">
        {children}
      </div>
    </>
  );
}
