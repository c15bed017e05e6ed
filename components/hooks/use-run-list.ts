'use client';

import { useCallback, useEffect, useMemo, useState } from 'react';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import type { ApiError } from '#lib/browser/api.ts';
import { getJson } from '#lib/browser/api.ts';
import { watchRuns } from '#lib/browser/hub-client.ts';
import { useApi } from './use-api.ts';

/** The list of runs, newest first: the first page once, every change from then on, earlier runs on demand. */
export function useRunList(): {
  runs: readonly RunSummary[] | undefined;
  error: ApiError | undefined;
  reload: () => void;
  hasMore: boolean;
  loadMore: () => void;
} {
  const { data, error, reload } = useApi<RunListReply>('/api/runs?limit=50');
  const [changed, setChanged] = useState<ReadonlyMap<string, RunSummary>>(new Map());
  const [earlier, setEarlier] = useState<RunListReply>();
  useEffect(
    () =>
      watchRuns({
        runs: (runs) =>
          setChanged((before) => new Map([...before, ...runs.map((run) => [run.id, run] as const)])),
        signal: () => {},
      }),
    [],
  );
  const runs = useMemo(() => {
    if (!data) return undefined;
    const all = new Map([...data.runs, ...(earlier?.runs ?? [])].map((run) => [run.id, run]));
    for (const run of changed.values()) {
      // A page that was read later than the change knows better.
      if ((all.get(run.id)?.last_seq ?? 0) <= run.last_seq) all.set(run.id, run);
    }
    return [...all.values()].sort((a, b) => b.created_at - a.created_at || b.id.localeCompare(a.id));
  }, [data, earlier, changed]);

  const next = earlier ? earlier.next : data?.next;
  const loadMore = useCallback(() => {
    if (next === undefined) return;
    void getJson<RunListReply>(`/api/runs?limit=50&before=${encodeURIComponent(next)}`).then((page) =>
      setEarlier((before) => ({ runs: [...(before?.runs ?? []), ...page.runs], next: page.next })),
    );
  }, [next]);
  return { runs, error, reload, hasMore: next !== undefined, loadMore };
}
