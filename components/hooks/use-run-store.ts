import { useEffect, useState } from 'react';
import { createRunStore, type RunStore } from '#lib/browser/state/run-store.ts';
import { browserSchedule } from '#lib/browser/stream/browser-schedule.ts';
import { followRun } from '#lib/browser/stream/hub-client.ts';

/** Follows a run of the server while the component is shown; `undefined` before the first rendering on the page. */
export function useRunStore(runId: string): RunStore | undefined {
  const [store, setStore] = useState<RunStore>();
  useEffect(() => {
    const { store: made, stop } = follow(runId);
    setStore(made);
    return stop;
  }, [runId]);
  return store;
}

/** Follows several runs, like `useRunStore`. @param runIds each once */
export function useRunStores(runIds: readonly string[]): readonly RunStore[] | undefined {
  const [stores, setStores] = useState<readonly RunStore[]>();
  const ids = runIds.join();
  useEffect(() => {
    const followed = ids.split(',').map(follow);
    setStores(followed.map(({ store }) => store));
    return () => {
      for (const { stop } of followed) stop();
    };
  }, [ids]);
  return stores;
}

function follow(runId: string): { store: RunStore; stop: () => void } {
  const store = createRunStore(runId, browserSchedule, Date.now);
  const stop = followRun(runId, {
    cursor: () => store.cursor,
    events: store.receive,
    delta: store.receiveDelta,
    signal: store.signal,
  });
  return {
    store,
    stop: () => {
      stop();
      store.dispose();
    },
  };
}
