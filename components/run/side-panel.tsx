'use client';

import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import type { RunMode } from '#lib/events/config.ts';
import { MemoryPanel } from '../explore/memory-panel.tsx';
import { ReflectionsPanel } from '../explore/reflections-panel.tsx';
import { cx } from '../ui/cx.ts';
import { InboxPanel } from './inbox-panel.tsx';
import { Ledger, Totals } from './ledger.tsx';
import { useRun } from './run-context.tsx';

type Tab = 'Limits' | 'Memory' | 'Reflections' | 'Messages';

const tabsOf: Record<RunMode, readonly Tab[]> = {
  task: ['Limits'],
  session: ['Limits', 'Messages'],
  explore: ['Limits', 'Memory', 'Reflections', 'Messages'],
};

const panels: Record<Tab, ReactNode> = {
  Limits: (
    <>
      <Ledger />
      <h2 className="caption mt-6 mb-2">So far</h2>
      <Totals />
    </>
  ),
  Memory: <MemoryPanel />,
  Reflections: <ReflectionsPanel />,
  Messages: <InboxPanel />,
};

/** What stands beside the timeline: the guardrails of every run, and what only a session or an exploration has. */
export function SidePanel() {
  const mode = useRun((view) => view.run.config?.mode ?? 'task');
  const waiting = useRun(
    (view) => view.run.operatorMessages.filter(({ status }) => status === 'queued').length,
  );
  const [chosen, setChosen] = useState<Tab>('Limits');
  const id = useId();
  const tabs = tabsOf[mode];
  if (tabs.length === 1) {
    return (
      <>
        <h2 className="caption">Guardrails</h2>
        {panels.Limits}
      </>
    );
  }
  const tab = tabs.includes(chosen) ? chosen : 'Limits';
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
    if (by === 0 || !next) return;
    event.preventDefault();
    setChosen(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label="Beside the timeline" className="-mx-1 flex border-b" onKeyDown={step}>
        {tabs.map((each) => (
          <button
            key={each}
            id={`${id}-${each}`}
            type="button"
            role="tab"
            aria-selected={each === tab}
            aria-controls={`${id}-panel`}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => setChosen(each)}
            className={cx(
              '-mb-px border-b-2 px-1.5 pb-1.5 text-sm font-medium max-sm:h-9',
              each === tab ? 'border-brass-fill text-ink' : 'border-transparent text-ink-3 hover:text-ink',
            )}
          >
            {each}
            {each === 'Messages' && waiting > 0 && (
              <span className="tnum ml-1 font-mono text-xs text-brass">{waiting}</span>
            )}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`}>
        {panels[tab]}
      </div>
    </>
  );
}
