'use client';

import { useEffect, useState } from 'react';
import { browserSchedule } from '#lib/browser/browser-schedule.ts';
import { followRun } from '#lib/browser/hub-client.ts';
import { createRunStore, type RunStore } from '#lib/browser/run-store.ts';
import { RunScreen } from './run-screen.tsx';

/** Follows a run of the server. The page holds no data of its own: a reload folds the same log to the same picture. */
export function RunPage({ runId }: { runId: string }) {
  const [store, setStore] = useState<RunStore>();
  useEffect(() => {
    const made = createRunStore(runId, browserSchedule, Date.now);
    setStore(made);
    const stop = followRun(runId, {
      cursor: () => made.cursor,
      events: made.receive,
      delta: made.receiveDelta,
      signal: made.signal,
    });
    return () => {
      stop();
      made.dispose();
    };
  }, [runId]);
  if (!store) return <main id="main" className="flex-1" aria-busy="true" />;
  return <RunScreen key={runId} store={store} />;
}
