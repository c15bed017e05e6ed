'use client';

import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { RunReply } from '#lib/api/replies.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import { watchDeletion } from '#lib/browser/stream/watch-deletion.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRunStore } from '../hooks/use-run-store.ts';
import { RunScreen } from './run-screen.tsx';

/** Follows a run of the server. The page holds no data itself: a reload folds the same log to the same view. */
export function RunPage({ runId }: { runId: string }) {
  const store = useRunStore(runId);
  if (!store) return <Opening />;
  return <FollowedRun key={runId} runId={runId} store={store} />;
}

function FollowedRun({ runId, store }: { runId: string; store: RunStore }) {
  const { data, error } = useApi<RunReply>(`/api/runs/${encodeURIComponent(runId)}`);
  const imported = data?.run.imported_at === undefined ? undefined : data.run;
  const seen = useStore(store.view, (view) => view.run.seq);
  const whole = imported !== undefined && seen >= imported.last_seq;
  // A log without an end is complete, too: no further events will come.
  useEffect(() => {
    if (whole) store.signal({ type: 'finished' });
  }, [whole, store]);
  // A run in progress cannot be deleted, and the stream of an ended one is released.
  const over = useStore(store.view, (view) => view.connection.status === 'closed');
  useEffect(
    () => (over ? watchDeletion(runId, () => store.signal({ type: 'deleted' })) : undefined),
    [over, runId, store],
  );
  // Notes, the bar of an imported run and the parts of its mode would push the rows down if they came later. If the
  // summary cannot be read, the run's stream reports the reason.
  const isOpening = useStore(store.view, ({ run, connection: { status } }) => {
    return run.seq === 0 && (status === 'connecting' || status === 'catching-up');
  });
  if (isOpening || (!data && !error)) return <Opening />;
  return <RunScreen store={store} summary={data?.run} />;
}

function Opening() {
  return <main id="main" className="flex-1" aria-busy="true" />;
}
