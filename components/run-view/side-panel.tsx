'use client';

import { useEffect } from 'react';
import { modeFacts } from '#lib/events/modes.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { Ledger, Totals } from './ledger.tsx';
import { useRun } from './run-context.tsx';

const loadPanels = () => import('./mode-panels.tsx');

const limits = (
  <>
    <Ledger />
    <Totals />
  </>
);

/** The panel next to the timeline: guardrails, and panels specific to sessions and explorations. */
export function SidePanel() {
  const own = useRun((view) => modeFacts(view.run.config?.mode).panels);
  const { opened, open } = useLoaded(loadPanels);
  const hasOwn = own.length > 0;
  useEffect(() => {
    if (hasOwn) open(() => true);
  }, [hasOwn, open]);
  if (hasOwn && opened) return <opened.code.ModePanels own={own} limits={limits} />;
  return (
    <>
      <h2 className="caption">Guardrails</h2>
      {limits}
    </>
  );
}
