'use client';

import { useCallback, useState } from 'react';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { type ApiError, getJson } from '#lib/browser/api.ts';
import { useApi } from './use-api.ts';

/** The list of runs, newest first, kept fresh; earlier ones on demand. */
export function useRunList(): {
  runs: readonly RunSummary[] | undefined;
  error: ApiError | undefined;
  reload: () => void;
  hasMore: boolean;
  loadMore: () => void;
} {
  const { data, error, reload } = useApi<RunListReply>('/api/runs?limit=50', 2000);
  const [earlier, setEarlier] = useState<RunListReply>();
  const next = earlier ? earlier.next : data?.next;
  const loadMore = useCallback(() => {
    if (next === undefined) return;
    void getJson<RunListReply>(`/api/runs?limit=50&before=${encodeURIComponent(next)}`).then((page) =>
      setEarlier((before) => ({ runs: [...(before?.runs ?? []), ...page.runs], next: page.next })),
    );
  }, [next]);
  const shown = data && new Set(data.runs.map((run) => run.id));
  return {
    runs: data && [...data.runs, ...(earlier?.runs.filter((run) => !shown?.has(run.id)) ?? [])],
    error,
    reload,
    hasMore: next !== undefined,
    loadMore,
  };
}
