'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunFamily } from '#lib/api/run-family.ts';
import { passesFilter, type RunFilter, writeRunFilter } from '#lib/api/run-filter.ts';
import { compareRuns, NEWEST_FIRST, type RunOrder, writeRunOrder } from '#lib/api/run-order.ts';
import { familyOf, type RunSummary } from '#lib/api/run-summary.ts';
import { type ApiError, getJson, toApiError } from '#lib/browser/api.ts';
import { type ListedRun, listedRuns } from '#lib/browser/state/listed-runs.ts';
import {
  afterReading,
  endedUpdates,
  MAX_ENDED_UPDATES,
  type RunUpdates,
  withDeleted,
  withRuns,
} from '#lib/browser/state/run-updates.ts';
import { watchRuns, whenBack } from '#lib/browser/stream/hub-client.ts';
import { useReading } from './use-api.ts';
import { useLatest } from './use-latest.ts';

const PAGE_RUNS = 50;
/** The most runs that the server lists at once. */
const MAX_PAGE_RUNS = 200;
/** Delay before the figures of changed families are read again, so that several changes take one request. */
const FAMILY_DELAY_MS = 400;

const NO_UPDATES: RunUpdates = new Map();

/** The pages of a list that were read together. */
interface ListReading {
  path: string;
  page: RunListReply;
  /** When they were requested, by `performance.now()`. */
  readAt: number;
}

/** The figures of a family, and when they were requested, by `performance.now()`. */
interface FamilyReading {
  family: RunFamily;
  readAt: number;
}

type FamilyReadings = ReadonlyMap<string, FamilyReading>;

const NO_FAMILIES: FamilyReadings = new Map();

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
  /** Whether they were read with this filter and order: until then they are those of the former ones that pass it. */
  isCurrent: boolean;
  error: ApiError | undefined;
  reload: () => void;
  hasMore: boolean;
  loadMore: () => void;
  /** Why the next page did not come. */
  moreError: ApiError | undefined;
} {
  const path = useMemo(() => {
    const query = writeRunFilter(new URLSearchParams(), filter, { exact: true });
    if (grouped) query.set('group', 'family');
    return `/api/runs?${writeRunOrder(query, order)}`;
  }, [filter, order, grouped]);
  /** How many runs to read: as many as were read before, so that a reader of earlier runs keeps them. */
  const count = useRef(PAGE_RUNS);
  const { data, error, reload } = useReading<ListReading>({
    key: ['/api/runs', path],
    read: async (signal) => {
      const readAt = performance.now();
      return { path, readAt, page: await readRuns(path, count.current, signal) };
    },
  });
  const [updates, setUpdates] = useState(NO_UPDATES);
  const [read, setRead] = useState<{ of: ListReading; page: RunListReply }>();
  const [failed, setFailed] = useState<{ of: ListReading; error: ApiError }>();
  const earlier = read?.of === data ? read?.page : undefined;
  const known = useMemo(
    () => new Map([...(data?.page.runs ?? []), ...(earlier?.runs ?? [])].map((run) => [run.id, run])),
    [data, earlier],
  );
  count.current = data?.path === path ? Math.max(PAGE_RUNS, known.size) : PAGE_RUNS;
  const readAt = data?.readAt ?? 0;
  const { fresh, refresh } = useFamilies(path, { grouped, readAt, setUpdates });
  const families = useMemo(
    () => ({ ...data?.page.families, ...earlier?.families, ...fresh }),
    [data, earlier, fresh],
  );
  const seen = useLatest<Seen>({ known, updates, families });
  useEffect(
    () =>
      watchRuns({
        runs: (runs) => {
          refresh(runs.filter((run) => movesFamily(run, seen.current)).map(familyOf));
          setUpdates((before) => withRuns(before, runs, performance.now()));
        },
        deleted: (runId) => {
          const run = seen.current.updates.get(runId)?.run ?? seen.current.known.get(runId);
          if (run && hasFamily(run, seen.current)) refresh([familyOf(run)]);
          setUpdates((before) => withDeleted(before, runId, performance.now()));
        },
        signal: whenBack(() => {
          // A run may have ended unnoticed; the stream begins with all that are unfinished.
          setUpdates(NO_UPDATES);
          reload();
        }),
      }),
    [reload, refresh, seen],
  );
  useEffect(() => setUpdates((before) => afterReading(before, readAt)), [readAt]);
  // If that fails, it is tried again after as many more.
  const overflows = Math.floor(endedUpdates(updates) / MAX_ENDED_UPDATES);
  useEffect(() => {
    if (overflows > 0) reload();
  }, [overflows, reload]);
  const runs = useMemo(() => {
    if (!data) return undefined;
    const all = new Map(known);
    for (const [id, { run }] of updates) {
      if (!run) all.delete(id);
      // A page that was requested after the change is newer.
      else if ((all.get(run.id)?.last_seq ?? 0) <= run.last_seq) all.set(run.id, run);
    }
    const shown = [...all.values()].filter((run) => passesFilter(run, filter)).sort(compareRuns(order));
    return grouped ? listedRuns(shown, families) : shown.map((run): ListedRun => ({ run }));
  }, [data, known, updates, filter, order, grouped, families]);

  const next = earlier ? earlier.next : data?.page.next;
  const latest = useLatest(data);
  const loadMore = useCallback(() => {
    if (next === undefined || data === undefined) return;
    // Another list may be shown by the time of the answer.
    const isShown = () => latest.current === data;
    const show = (page: RunListReply) =>
      setRead((before) => ({ of: data, page: before?.of === data ? joined(before.page, page) : page }));
    setFailed(undefined);
    getJson<RunListReply>(pagePath(path, PAGE_RUNS, next))
      .then((page) => isShown() && show(page))
      .catch((cause: unknown) => isShown() && setFailed({ of: data, error: toApiError(cause) }));
  }, [next, path, data, latest]);
  const moreError = failed?.of === data ? failed?.error : undefined;
  const isCurrent = data?.path === path;
  return { runs, isCurrent, error, reload, hasMore: next !== undefined, loadMore, moreError };
}

/** Reads at least this many runs, if there are as many. */
async function readRuns(path: string, count: number, signal: AbortSignal): Promise<RunListReply> {
  let page = await getJson<RunListReply>(pagePath(path, Math.min(count, MAX_PAGE_RUNS)), signal);
  while (page.next !== undefined && page.runs.length < count) {
    const limit = Math.min(count - page.runs.length, MAX_PAGE_RUNS);
    page = joined(page, await getJson<RunListReply>(pagePath(path, limit, page.next), signal));
  }
  return page;
}

function pagePath(path: string, limit: number, before?: string): string {
  const start = before === undefined ? '' : `&before=${encodeURIComponent(before)}`;
  return `${path}&limit=${limit}${start}`;
}

function joined(first: RunListReply, second: RunListReply): RunListReply {
  return {
    runs: [...first.runs, ...second.runs],
    families: { ...first.families, ...second.families },
    next: second.next,
  };
}

/** The state of the list before a change. */
interface Seen {
  known: ReadonlyMap<string, RunSummary>;
  updates: RunUpdates;
  families: Readonly<Record<string, RunFamily>>;
}

function hasFamily(run: RunSummary, { families }: Pick<Seen, 'families'>): boolean {
  return run.family !== undefined || families[run.id] !== undefined;
}

/** Whether a change of a run changes the figures of its family: it is new, has ended, or looks different to the filter. */
function movesFamily(run: RunSummary, { known, updates, families }: Seen): boolean {
  // A single run has no figures, and a page that is still being read will have those of others.
  if (known.size === 0 || !hasFamily(run, { families })) return false;
  const before = updates.get(run.id)?.run ?? known.get(run.id);
  if (!before) return true;
  const ends = before.phase !== run.phase && (run.phase === 'ended' || before.phase === 'ended');
  return ends || JSON.stringify(before.annotations) !== JSON.stringify(run.annotations);
}

/** The figures of families whose runs have changed since their page was read. */
function useFamilies(
  path: string,
  options: {
    grouped: boolean;
    /** When the page was requested, which has the figures from before. */
    readAt: number;
    setUpdates: (change: (before: RunUpdates) => RunUpdates) => void;
  },
) {
  const { grouped, readAt, setUpdates } = options;
  const [read, setRead] = useState<{ path: string; families: FamilyReadings }>();
  const shown = useLatest(path);
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
          const askedAt = performance.now();
          const askedPath = shown.current;
          const reply = await getJson<RunListReply>(
            `${pagePath(askedPath, PAGE_RUNS)}&family=${encodeURIComponent(id)}`,
          );
          // Figures under another filter would replace those of the present one.
          if (shown.current !== askedPath) continue;
          const reading = { family: familyIn(reply, id), readAt: askedAt };
          setRead((before) => ({
            path: askedPath,
            families: new Map([...(before?.path === askedPath ? before.families : []), [id, reading]]),
          }));
          // Reports of the stream about a run in the meantime are newer, including its deletion.
          const isNews = (before: RunUpdates, run: RunSummary) =>
            !before.has(run.id) ||
            (before.get(run.id)?.run?.last_seq ?? Number.POSITIVE_INFINITY) < run.last_seq;
          setUpdates((before) => {
            const news = reply.runs.filter((run) => isNews(before, run));
            return news.length === 0 ? before : withRuns(before, news, askedAt);
          });
        }
      };
      // The stream reports when the server is back; until then, everything shown is right except for the
      // figures.
      timer.current = setTimeout(() => void look().catch(() => undefined), FAMILY_DELAY_MS);
    },
    [grouped, setUpdates, shown],
  );
  const families = read?.path === path ? read.families : NO_FAMILIES;
  const fresh = useMemo(
    () =>
      Object.fromEntries(
        [...families].flatMap(([id, reading]) => (reading.readAt < readAt ? [] : [[id, reading.family]])),
      ),
    [families, readAt],
  );
  return { fresh, refresh };
}

/** A single run is not a family. */
function familyIn(reply: RunListReply, id: string): RunFamily {
  return reply.families?.[id] ?? { runs: reply.runs.length, active: 0, outcomes: {}, latest_at: 0 };
}
