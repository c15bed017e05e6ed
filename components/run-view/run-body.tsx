'use client';

import type { ReactNode, RefObject } from 'react';
import { modeFacts } from '#lib/events/modes.ts';
import { CycleStrip } from './explore/cycle-strip.tsx';
import { NearestLimit } from './ledger.tsx';
import { useRun } from './run-context.tsx';
import { SidePanel } from './side-panel.tsx';
import { Timeline, type TimelineHandle } from './timeline/timeline.tsx';

/** A run below its header: the timeline, with the guardrails next to it (above it on narrow screens). */
export function RunBody({
  timeline,
  foot,
}: {
  timeline: RefObject<TimelineHandle | null>;
  /** Content below the timeline. */
  foot?: ReactNode;
}) {
  const hasCycles = useRun((view) => modeFacts(view.run.config?.mode).hasCycles);
  return (
    <>
      <details className="border-b bg-surface lg:hidden print:hidden">
        <summary className="flex items-center justify-between px-3 py-2 text-sm font-medium sm:px-6">
          Guardrails and totals
          <NearestLimit />
        </summary>
        <section
          aria-label="Guardrails and totals"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-[50dvh] overflow-y-auto px-3 pb-3 sm:px-6"
        >
          <SidePanel />
        </section>
      </details>
      {hasCycles && <CycleStrip />}
      <div className="flex min-h-0 flex-1 print:block">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col print:block">
          <Timeline handle={timeline} />
          {foot}
        </div>
        <aside
          aria-label="Guardrails and totals"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="w-72 shrink-0 overflow-y-auto border-l bg-surface px-5 py-4 max-lg:hidden xl:w-80 print:hidden"
        >
          <SidePanel />
        </aside>
      </div>
    </>
  );
}
