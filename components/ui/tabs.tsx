'use client';

import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface Tab<Id extends string> {
  id: Id;
  label: ReactNode;
}

/** Tabs over one panel, in several rows where one is too narrow; the arrow keys move between them and choose. */
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
  return (
    <Base.Root value={chosen} onValueChange={onChoose}>
      <Base.List activateOnFocus aria-label={label} className="flex flex-wrap gap-x-0.5 border-b">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.id}
            value={tab.id}
            className={({ active }) =>
              cx(
                '-mb-px shrink-0 border-b-2 px-1.5 pb-1 font-sans text-sm font-medium',
                active ? 'border-brass-fill text-ink' : 'border-transparent text-ink-3 hover:text-ink',
              )
            }
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={chosen} className="min-w-0 pt-2">
        {children}
      </Base.Panel>
    </Base.Root>
  );
}
