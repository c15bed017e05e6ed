'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunFamily } from '#lib/api/run-family.ts';
import { passesFilter, type RunFilter, writeRunFilter } from '#lib/api/run-filter.ts';
import { compareRuns, NEWEST_FIRST, type RunOrder, writeRunOrder } from '#lib/api/run-order.ts';
import { familyOf, type RunSummary } from '#lib/api/run-summary.ts';
import { type ApiError, getJson, toApiError } from '#lib/browser/api.ts';
import { type ListedRun, listedRuns } from '#lib/browser/state/listed-runs.ts';
import { watchRuns, whenBack } from '#lib/browser/stream/hub-client.ts';
import { useApi } from './use-api.ts';

/** Gathers what happens to a family before its figures are read again. */
const FAMILY_DELAY_MS = 400;

/** Changed runs by their IDs; `undefined` for one that was deleted. */
type Changes = ReadonlyMap<string, RunSummary | undefined>;

const NO_FAMILIES: Readonly<Record<string, RunFamily>> = {};

/**
 * The runs that pass a filter, in an order: the first page once, then every change, and more pages on demand.
 *
 * @param filter must be a stable object while its values are the same, and so must `order`
 * @param options.grouped lists one run per family, with the outcomes of the others; only for the order "newest first"
 */
export function useRunList(
  filter: RunFilter,
  { order = NEWEST_FIRST, grouped = false }: { order?: RunOrder; grouped?: boolean } = {},
): {
  runs: readonly ListedRun[] | undefined;
  error: ApiError | undefined;
  reload: () => void;
  hasMore: boolean;
  loadMore: () => void;
  /** Why the next page did not come. */
  moreError: ApiError | undefined;
} {
  const path = useMemo(() => {
    const query = writeRunFilter(new URLSearchParams({ limit: '50' }), filter, { exact: true });
    if (grouped) query.set('group', 'family');
    return `/api/runs?${writeRunOrder(query, order)}`;
  }, [filter, order, grouped]);
  const { data, error, reload } = useApi<RunListReply>(path);
  /** By ID; `undefined` for a deleted run. */
  const [changed, setChanged] = useState<Changes>(new Map());
  const [read, setRead] = useState<{ path: string; page: RunListReply }>();
  const [moreError, setMoreError] = useState<ApiError>();
  const earlier = read?.path === path ? read.page : undefined;
  const known = useMemo(
    () => new Map([...(data?.runs ?? []), ...(earlier?.runs ?? [])].map((run) => [run.id, run])),
    [data, earlier],
  );
  const { families, forget, refresh } = useFamilies(path, grouped, setChanged);
  const seen = useRef<Seen>({ known, changed, families: NO_FAMILIES });
  seen.current = { known, changed, families: { ...data?.families, ...earlier?.families, ...families } };
  useEffect(
    () =>
      watchRuns({
        runs: (runs) => {
          refresh(runs.filter((run) => movesFamily(run, seen.current)).map(familyOf));
          setChanged((before) => new Map([...before, ...runs.map((run) => [run.id, run] as const)]));
        },
        deleted: (runId) => {
          const run = seen.current.changed.get(runId) ?? seen.current.known.get(runId);
          if (run && hasFamily(run, seen.current)) refresh([familyOf(run)]);
          setChanged((before) => new Map([...before, [runId, undefined]]));
        },
        signal: whenBack(() => {
          // There are no updates for later pages, so they are fetched again on demand.
          setChanged(new Map());
          setRead(undefined);
          forget();
          reload();
        }),
      }),
    [reload, refresh, forget],
  );
  const runs = useMemo(() => {
    if (!data) return undefined;
    const all = new Map(known);
    for (const [id, run] of changed) {
      if (!run) all.delete(id);
      // A page that was read later than the change knows better.
      else if ((all.get(run.id)?.last_seq ?? 0) <= run.last_seq) all.set(run.id, run);
    }
    const shown = [...all.values()].filter((run) => passesFilter(run, filter)).sort(compareRuns(order));
    if (!grouped) return shown.map((run): ListedRun => ({ run }));
    return listedRuns(shown, { ...data.families, ...earlier?.families, ...families });
  }, [data, earlier, known, changed, filter, order, grouped, families]);

  const next = earlier ? earlier.next : data?.next;
  const loadMore = useCallback(() => {
    if (next === undefined) return;
    const show = (page: RunListReply) =>
      setRead((before) => {
        const shown = before?.path === path ? before.page : undefined;
        return {
          path,
          page: {
            runs: [...(shown?.runs ?? []), ...page.runs],
            families: { ...shown?.families, ...page.families },
            next: page.next,
          },
        };
      });
    setMoreError(undefined);
    getJson<RunListReply>(`${path}&before=${encodeURIComponent(next)}`)
      .then(show)
      .catch((cause: unknown) => setMoreError(toApiError(cause)));
  }, [next, path]);
  return { runs, error, reload, hasMore: next !== undefined, loadMore, moreError };
}

/** The state of the list before a change. */
interface Seen {
  known: ReadonlyMap<string, RunSummary>;
  changed: Changes;
  families: Readonly<Record<string, RunFamily>>;
}

function hasFamily(run: RunSummary, { families }: Pick<Seen, 'families'>): boolean {
  return run.family !== undefined || families[run.id] !== undefined;
}

/** Whether a change of a run changes the figures of its family: it is new, has ended, or looks different to the filter. */
function movesFamily(run: RunSummary, { known, changed, families }: Seen): boolean {
  // A single run has no figures, and a page that is still being read will have those of others.
  if (known.size === 0 || !hasFamily(run, { families })) return false;
  const before = changed.get(run.id) ?? known.get(run.id);
  if (!before) return true;
  const ends = before.phase !== run.phase && (run.phase === 'ended' || before.phase === 'ended');
  return ends || JSON.stringify(before.annotations) !== JSON.stringify(run.annotations);
}

/** The figures of families whose runs have changed since their page was read. */
function useFamilies(
  path: string,
  grouped: boolean,
  setChanged: (change: (before: Changes) => Changes) => void,
) {
  const [read, setRead] = useState<{ path: string; families: Readonly<Record<string, RunFamily>> }>();
  const waiting = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const refresh = useCallback(
    (ids: readonly string[]) => {
      if (!grouped) return;
      for (const id of ids) waiting.current.add(id);
      if (waiting.current.size === 0 || timer.current !== undefined) return;
      const look = async () => {
        timer.current = undefined;
        const asked = [...waiting.current];
        waiting.current.clear();
        for (const id of asked) {
          const reply = await getJson<RunListReply>(`${path}&family=${encodeURIComponent(id)}`);
          setRead((before) => ({
            path,
            families: { ...(before?.path === path ? before.families : {}), [id]: familyIn(reply, id) },
          }));
          // Reports of the stream about a run in the meantime are newer, including its deletion.
          const isNews = (before: Changes, run: RunSummary) =>
            !before.has(run.id) || (before.get(run.id)?.last_seq ?? Number.POSITIVE_INFINITY) < run.last_seq;
          setChanged((before) => {
            const news = reply.runs.filter((run) => isNews(before, run));
            return news.length === 0
              ? before
              : new Map([...before, ...news.map((run) => [run.id, run] as const)]);
          });
        }
      };
      // The stream reports when the server is back; until then, everything shown is right except for the
      // figures.
      timer.current = setTimeout(() => void look().catch(() => undefined), FAMILY_DELAY_MS);
    },
    [grouped, path, setChanged],
  );
  const forget = useCallback(() => setRead(undefined), []);
  return { families: read?.path === path ? read.families : NO_FAMILIES, refresh, forget };
}

/** A single run is not a family. */
function familyIn(reply: RunListReply, id: string): RunFamily {
  return reply.families?.[id] ?? { runs: reply.runs.length, active: 0, outcomes: {}, latest_at: 0 };
}
