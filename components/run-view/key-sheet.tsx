'use client';

import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { useRunScreen } from './screen-context.ts';
import { type KeyWords, TIMELINE_KEYS } from './timeline/use-timeline-keys.ts';

/** The keyboard shortcuts dialog, opened with `?`. */
export function KeySheet({ more = [] }: { more?: readonly KeyWords[] }) {
  const { server } = useRunScreen();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target;
      const typing =
        target instanceof HTMLElement && ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
      if (event.key !== '?' || typing || dialog.current?.open) return;
      event.preventDefault();
      dialog.current?.showModal();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="key-sheet"
      className="m-auto w-96 max-w-[calc(100vw-2rem)] rounded-lg border bg-raised p-5 text-ink shadow-xl backdrop:bg-sunken/70"
    >
      <h2 id="key-sheet" className="text-lg font-semibold">
        Keys
      </h2>
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
      <form method="dialog" className="mt-5 text-right">
        <Button type="submit" size="sm">
          Close
        </Button>
      </form>
    </dialog>
  );
}
