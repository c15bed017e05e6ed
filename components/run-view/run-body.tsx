'use client';

import { type ReactNode, type RefObject, useState } from 'react';
import type { ChatItem } from '#lib/browser/state/chat-items.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { ReviewChanges } from './changes/review-changes.tsx';
import { ChatFoldLine } from './chat/chat-fold.tsx';
import { ChatTextItem } from './chat/chat-text.tsx';
import { CycleStrip } from './explore/cycle-strip.tsx';
import { NearestLimit } from './ledger.tsx';
import { PlotsBar, usePlotsInFull } from './plots/plots-bar.tsx';
import { useRun } from './run-context.tsx';
import { SidePanel } from './side-panel.tsx';
import { Timeline, type TimelineHandle } from './timeline/timeline.tsx';
import { TimelineItem } from './timeline/timeline-item.tsx';

/**
 * A run below its header: a strip of plots, and the timeline with the guardrails next to it (above it on narrow screens).
 * The plots in full cover the timeline.
 */
export function RunBody({
  timeline,
  opensAtTask,
  foot,
}: {
  timeline: RefObject<TimelineHandle | null>;
  /** Whether the timeline opens at its first row instead of following the end. */
  opensAtTask?: boolean;
  /** Content below the timeline. */
  foot?: ReactNode;
}) {
  const hasCycles = useRun((view) => modeFacts(view.run.config?.mode).hasCycles);
  const plots = usePlotsInFull();
  const [over, setOver] = useState<HTMLElement | null>(null);
  return (
    <>
      {/* On a phone, both share a row while they are folded. */}
      <div className="max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:[&:not(:has(>details[open],>section_[aria-expanded=true]))]:grid">
        <PlotsBar plots={plots} over={over} />
        <details className="border-b bg-surface max-sm:col-start-2 lg:hidden print:hidden">
          <summary className="flex items-center justify-between gap-3 px-3 py-2 text-sm font-medium sm:px-6">
            <span className="flex shrink-0 items-center gap-2">
              <FoldMark />
              <span>
                Guardrails<span className="max-sm:sr-only"> and totals</span>
              </span>
            </span>
            <NearestLimit />
          </summary>
          <ScrollRegion
            label="Guardrails and totals"
            className="max-h-[50dvh] overflow-y-auto px-3 max-sm:max-h-[40dvh] pb-3 sm:px-6"
          >
            <SidePanel />
          </ScrollRegion>
        </details>
      </div>
      {hasCycles && <CycleStrip />}
      <ReviewChanges />
      <div className="flex min-h-0 flex-1 print:block">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col print:block">
          <div className="relative flex min-h-0 flex-1 flex-col print:static print:block">
            <div ref={setOver} />
            <div className="flex min-h-0 flex-1 flex-col print:block" inert={plots.full}>
              <Timeline handle={timeline} opensAtTask={opensAtTask} Item={ListItem} />
            </div>
          </div>
          {foot}
        </div>
        <aside
          aria-label="Guardrails and totals"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="w-72 shrink-0 overflow-y-auto border-l short:contain-size bg-surface px-5 py-4 max-lg:hidden xl:w-92 print:hidden"
        >
          <SidePanel />
        </aside>
      </div>
    </>
  );
}

/** An item of the list: a row, or a part of the chat. */
function ListItem({ item, position }: { item: ChatItem; position: number }) {
  switch (item.kind) {
    case 'chat-text':
      return <ChatTextItem item={item} position={position} />;
    case 'chat-fold':
      return <ChatFoldLine fold={item} position={position} />;
    default:
      return <TimelineItem row={item} position={position} />;
  }
}
