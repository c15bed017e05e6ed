'use client';

import { type ReactNode, useState } from 'react';
import { type ModePanel, modeFacts } from '#lib/events/modes.ts';
import { Tabs } from '../ui/tabs.tsx';
import { MemoryPanel } from './explore/memory-panel.tsx';
import { ReflectionsPanel } from './explore/reflections-panel.tsx';
import { InboxPanel } from './inbox-panel.tsx';
import { Ledger, Totals } from './ledger.tsx';
import { useRun } from './run-context.tsx';

type Tab = 'Limits' | ModePanel;

const panels: Record<Tab, ReactNode> = {
  Limits: (
    <>
      <Ledger />
      <Totals />
    </>
  ),
  Memory: <MemoryPanel />,
  Reflections: <ReflectionsPanel />,
  Messages: <InboxPanel />,
};

/** The panel next to the timeline: guardrails, and panels specific to sessions and explorations. */
export function SidePanel() {
  const own = useRun((view) => modeFacts(view.run.config?.mode).panels);
  const waiting = useRun(
    (view) => view.run.operatorMessages.filter(({ status }) => status === 'queued').length,
  );
  const [chosen, setChosen] = useState<Tab>('Limits');
  const tabs: readonly Tab[] = ['Limits', ...own];
  const tab = tabs.includes(chosen) ? chosen : 'Limits';
  if (tabs.length === 1) {
    return (
      <>
        <h2 className="caption">Guardrails</h2>
        {panels.Limits}
      </>
    );
  }
  return (
    <Tabs<Tab>
      label="Beside the timeline"
      tabs={tabs.map((id) => ({
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
      chosen={tab}
      onChoose={setChosen}
    >
      {panels[tab]}
    </Tabs>
  );
}
