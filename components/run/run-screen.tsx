'use client';

import Link from 'next/link';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { RunStore } from '#lib/browser/run-store.ts';
import { CycleStrip } from '../explore/cycle-strip.tsx';
import { SignIn } from '../shell/problem.tsx';
import { Timeline, type TimelineHandle } from '../timeline/timeline.tsx';
import { buttonClass } from '../ui/button.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Announcer } from './announcer.tsx';
import { KeySheet } from './key-sheet.tsx';
import { NearestLimit } from './ledger.tsx';
import { MessageBox } from './message-box.tsx';
import { PageState, RunCommands } from './page-state.tsx';
import { createReading, RunProvider } from './run-context.tsx';
import { RunHeader } from './run-header.tsx';
import { SidePanel } from './side-panel.tsx';

/** One run: header, timeline, and the ledger of its guardrails. Shows what is in the store, wherever that comes from. */
export function RunScreen({ store }: { store: RunStore }) {
  const [reading] = useState(createReading);
  const timeline = useRef<TimelineHandle>(null);
  const goTo = useCallback((seq: number) => timeline.current?.goTo(seq), []);
  const goToEnd = useCallback(() => timeline.current?.goToEnd(), []);
  const search = useCallback(() => timeline.current?.search(), []);
  const problem = useStore(store.view, (view) => view.connection.problem);
  const exploring = useStore(store.view, (view) => view.run.config?.mode === 'explore');
  const context = useMemo(() => ({ store, reading, goTo }), [store, reading, goTo]);
  if (problem) return <Refused problem={problem} />;
  return (
    <RunProvider value={context}>
      <PageState />
      <RunCommands onGoToEnd={goToEnd} onSearch={search} />
      <main id="main" className="flex h-[calc(100dvh-3.0625rem-var(--banner,0rem))] min-h-0 flex-col">
        <RunHeader onGoToEnd={goToEnd} />
        <details className="border-b bg-surface lg:hidden print:hidden">
          <summary className="flex items-center justify-between px-3 py-2 text-sm font-medium sm:px-6">
            Guardrails and totals
            <NearestLimit />
          </summary>
          <div className="max-h-[50dvh] overflow-y-auto px-3 pb-3 sm:px-6">
            <SidePanel />
          </div>
        </details>
        {exploring && <CycleStrip />}
        <div className="flex min-h-0 flex-1 print:block">
          <div className="flex min-h-0 min-w-0 flex-1 flex-col print:block">
            <Timeline handle={timeline} />
            <MessageBox />
          </div>
          <aside
            aria-label="Guardrails and totals"
            className="w-72 shrink-0 overflow-y-auto border-l bg-surface px-5 py-4 max-lg:hidden xl:w-80 print:hidden"
          >
            <SidePanel />
          </aside>
        </div>
        <Announcer />
        <KeySheet />
      </main>
    </RunProvider>
  );
}

/** In place of a run that the server does not give: it is unknown, or this browser is not signed in. */
function Refused({ problem }: { problem: { code: string; message: string; hint?: string } }) {
  return (
    <main id="main" className="mx-auto w-full max-w-4xl flex-1 px-3 py-12 sm:px-6">
      {problem.code === 'unauthorized' ? (
        <SignIn onDone={() => location.reload()} />
      ) : (
        <>
          <h1 className="foreign text-xl font-semibold tracking-[-0.015em]">
            <ForeignText text={problem.message} />
          </h1>
          <p className="mt-2 text-ink-2">It may have been removed, or the address is not whole.</p>
          <Link href="/" className={buttonClass('plain', 'md', 'mt-6')}>
            To the list of runs
          </Link>
        </>
      )}
    </main>
  );
}
