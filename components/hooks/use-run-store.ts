import { useEffect, useState } from 'react';
import { createRunStore, type RunStore } from '#lib/browser/state/run-store.ts';
import { browserSchedule } from '#lib/browser/stream/browser-schedule.ts';
import { followRun } from '#lib/browser/stream/hub-client.ts';

/** Follows a run of the server while the component is shown; `undefined` before the first rendering on the page. */
export function useRunStore(runId: string): RunStore | undefined {
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
  return store;
}
