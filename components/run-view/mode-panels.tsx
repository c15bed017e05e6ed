'use client';

import { type ReactNode, useState } from 'react';
import type { ModePanel } from '#lib/events/modes.ts';
import { Tabs } from '../ui/tabs.tsx';
import { CyclesPanel } from './explore/cycles-panel.tsx';
import { MemoryPanel } from './explore/memory-panel.tsx';
import { ReflectionsPanel } from './explore/reflections-panel.tsx';
import { InboxPanel } from './inbox-panel.tsx';
import { useRun } from './run-context.tsx';

type Tab = 'Limits' | ModePanel;

const panels: Record<ModePanel, ReactNode> = {
  Cycles: <CyclesPanel />,
  Memory: <MemoryPanel />,
  Reflections: <ReflectionsPanel />,
  Messages: <InboxPanel />,
};

/** The guardrails and the panels specific to a session or an exploration, as tabs. */
export function ModePanels({ own, limits }: { own: readonly ModePanel[]; limits: ReactNode }) {
  const waiting = useRun(
    (view) => view.run.operatorMessages.filter(({ status }) => status === 'queued').length,
  );
  const [chosen, setChosen] = useState<Tab>('Limits');
  return (
    <Tabs<Tab>
      label="Beside the timeline"
      tabs={(['Limits', ...own] as const).map((id) => ({
        id,
        label: (
          <>
            {id}
            {id === 'Messages' && waiting > 0 && (
              <span className="tnum ml-1 font-mono text-xs text-brass">{waiting}</span>
            )}
          </>
        ),
      }))}
      chosen={chosen}
      onChoose={setChosen}
    >
      {chosen === 'Limits' ? limits : panels[chosen]}
    </Tabs>
  );
}
