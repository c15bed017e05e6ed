'use client';

import { ListTree, MessagesSquare } from 'lucide-react';
import { cx } from '../../ui/cx.ts';

export type RunView = 'chat' | 'timeline';

const VIEWS = [
  { view: 'chat', label: 'Chat', icon: MessagesSquare },
  { view: 'timeline', label: 'Timeline', icon: ListTree },
] as const;

/** Chooses between the chat and the timeline of a conversation. */
export function ViewSwitch({ view, onChange }: { view: RunView; onChange: (view: RunView) => void }) {
  return (
    <fieldset className="flex shrink-0 items-center gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">View</legend>
      {VIEWS.map(({ view: each, label, icon: Icon }) => (
        <button
          key={each}
          type="button"
          aria-pressed={view === each}
          onClick={() => onChange(each)}
          className={cx(
            'flex h-6 items-center gap-1.5 rounded-sm px-2 text-xs font-medium max-sm:px-3',
            view === each ? 'bg-surface text-ink shadow-xs' : 'text-ink-2 hover:text-ink',
          )}
        >
          <Icon className="size-3.5" aria-hidden="true" />
          {label}
        </button>
      ))}
    </fieldset>
  );
}
