'use client';

import { useEffect, useState } from 'react';
import { offerCommands } from '#lib/browser/state/commands.ts';
import { isTyping } from '#lib/browser/typing.ts';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { useRunScreen } from './screen-context.ts';
import { type KeyWords, TIMELINE_KEYS } from './timeline/use-timeline-keys.ts';

/** The keyboard shortcuts dialog, opened with `?` or from the command palette. */
export function KeySheet({ more = [] }: { more?: readonly KeyWords[] }) {
  const { server } = useRunScreen();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '?' || isTyping(event.target)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', pressed);
    const withdraw = offerCommands([
      { id: 'keys', label: 'Keyboard shortcuts', group: 'View', keys: '?', run: () => setOpen(true) },
    ]);
    return () => {
      document.removeEventListener('keydown', pressed);
      withdraw();
    };
  }, []);
  return (
    <Dialog open={open} onClose={() => setOpen(false)} aria-labelledby="key-sheet" className="w-96 p-5">
      <DialogHeader id="key-sheet" title="Keyboard shortcuts" onClose={() => setOpen(false)} />
      <dl className="mt-3 grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1.5">
        {[...TIMELINE_KEYS.filter(({ inDashboard }) => server || !inDashboard), ...more].map(
          ({ keys, does }) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded-sm border bg-sunken px-1.5 py-0.5">{keys}</kbd>
              </dt>
              <dd className="text-ink-2">{does}</dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  );
}
