'use client';

import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { RunReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import { watchDeletion } from '#lib/browser/stream/watch-deletion.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRunStore } from '../hooks/use-run-store.ts';
import { RunScreen } from './run-screen.tsx';

/** Follows a run of the server. The page holds no data itself: a reload folds the same log to the same view. */
export function RunPage({ runId }: { runId: string }) {
  const store = useRunStore(runId);
  if (!store) return <main id="main" className="flex-1" aria-busy="true" />;
  return <FollowedRun key={runId} runId={runId} store={store} />;
}

function FollowedRun({ runId, store }: { runId: string; store: RunStore }) {
  const imported = useImported(runId);
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
  return <RunScreen store={store} importedAt={imported?.imported_at} />;
}

/** The summary of an imported run. If it cannot be read, the run's stream reports the reason. */
function useImported(runId: string): RunSummary | undefined {
  const { data } = useApi<RunReply>(`/api/runs/${encodeURIComponent(runId)}`);
  return data?.run.imported_at === undefined ? undefined : data.run;
}
