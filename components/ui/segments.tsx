'use client';

import type { ReactNode } from 'react';
import { cx } from './cx.ts';

interface Segment<Id extends string> {
  id: Id;
  label: string;
  icon?: ReactNode;
}

/** A row of buttons of which one is pressed: how something is shown. */
export function Segments<Id extends string>({
  legend,
  segments,
  chosen,
  onChoose,
}: {
  legend: string;
  segments: readonly Segment<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
}) {
  return (
    <fieldset className="flex shrink-0 items-center gap-0.5 rounded-md bg-sunken p-0.5 print:hidden">
      <legend className="sr-only">{legend}</legend>
      {segments.map(({ id, label, icon }) => (
        <button
          key={id}
          type="button"
          aria-pressed={chosen === id}
          onClick={() => onChoose(id)}
          className={cx(
            'reach flex h-6 items-center gap-1.5 rounded-sm px-2 text-xs font-medium max-sm:h-9 max-sm:px-2 [&>svg]:size-3.5',
            chosen === id ? 'bg-surface text-ink shadow-xs' : 'text-ink-2 hover:text-ink',
          )}
        >
          {icon}
          {label}
        </button>
      ))}
    </fieldset>
  );
}
