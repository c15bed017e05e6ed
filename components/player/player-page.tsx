'use client';

import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { SharedNote } from '#lib/api/player-source.ts';
import type { RunSource } from '#lib/browser/state/run-view.ts';
import { runTitle } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { Announcements } from '../ui/announcements.tsx';
import { SharedBar } from './shared-bar.tsx';

/** The page around a run outside the dashboard: its origin and what is left out. */
export function PlayerPage({
  store,
  note,
  children,
}: {
  store: RunSource;
  note: SharedNote | undefined;
  children: ReactNode;
}) {
  const title = useStore(store.view, (view) => runTitle(view.run.config));
  usePageTitle(title === '' ? undefined : `${shortLine(title, 60)} · Loupe`);
  return (
    <div className="flex h-dvh min-h-0 flex-col short:h-auto short:min-h-dvh print:block print:h-auto">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to the content
      </a>
      <SharedBar note={note} />
      <main id="main" className="flex min-h-0 flex-1 flex-col print:block">
        {children}
      </main>
      <Announcements />
    </div>
  );
}
