'use client';

import { useCallback, useEffect, useMemo, useState } from 'react';
import type { RunListReply } from '#lib/api/replies.ts';
import { passesFilter, type RunFilter, writeRunFilter } from '#lib/api/run-filter.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { type ApiError, getJson, toApiError } from '#lib/browser/api.ts';
import { watchRuns, whenBack } from '#lib/browser/stream/hub-client.ts';
import { useApi } from './use-api.ts';

/**
 * The runs that pass a filter, newest first: the first page once, every change from then on, earlier runs on demand.
 *
 * @param filter must be a stable object while its values are the same
 */
export function useRunList(filter: RunFilter): {
  runs: readonly RunSummary[] | undefined;
  error: ApiError | undefined;
  reload: () => void;
  hasMore: boolean;
  loadMore: () => void;
  /** Why the last page of earlier runs did not come. */
  moreError: ApiError | undefined;
} {
  const path = `/api/runs?${writeRunFilter(new URLSearchParams({ limit: '50' }), filter)}`;
  const { data, error, reload } = useApi<RunListReply>(path);
  /** By id; `undefined` for a run that was deleted. */
  const [changed, setChanged] = useState<ReadonlyMap<string, RunSummary | undefined>>(new Map());
  const [read, setRead] = useState<{ path: string; page: RunListReply }>();
  const [moreError, setMoreError] = useState<ApiError>();
  const earlier = read?.path === path ? read.page : undefined;
  useEffect(
    () =>
      watchRuns({
        runs: (runs) =>
          setChanged((before) => new Map([...before, ...runs.map((run) => [run.id, run] as const)])),
        deleted: (runId) => setChanged((before) => new Map([...before, [runId, undefined]])),
        signal: whenBack(() => {
          // There are no updates for later pages, so they are fetched again on demand.
          setChanged(new Map());
          setRead(undefined);
          reload();
        }),
      }),
    [reload],
  );
  const runs = useMemo(() => {
    if (!data) return undefined;
    const all = new Map([...data.runs, ...(earlier?.runs ?? [])].map((run) => [run.id, run]));
    for (const [id, run] of changed) {
      if (!run) all.delete(id);
      // A page that was read later than the change knows better.
      else if ((all.get(run.id)?.last_seq ?? 0) <= run.last_seq) all.set(run.id, run);
    }
    return [...all.values()]
      .filter((run) => passesFilter(run, filter))
      .sort((a, b) => b.created_at - a.created_at || b.id.localeCompare(a.id));
  }, [data, earlier, changed, filter]);

  const next = earlier ? earlier.next : data?.next;
  const loadMore = useCallback(() => {
    if (next === undefined) return;
    const show = (page: RunListReply) =>
      setRead((before) => ({
        path,
        page: { runs: [...(before?.path === path ? before.page.runs : []), ...page.runs], next: page.next },
      }));
    setMoreError(undefined);
    getJson<RunListReply>(`${path}&before=${encodeURIComponent(next)}`)
      .then(show)
      .catch((cause: unknown) => setMoreError(toApiError(cause)));
  }, [next, path]);
  return { runs, error, reload, hasMore: next !== undefined, loadMore, moreError };
}
