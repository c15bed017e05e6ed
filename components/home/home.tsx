'use client';

import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { FacetsReply } from '#lib/api/facets.ts';
import type { PresetListReply } from '#lib/api/preset.ts';
import type { HealthReply, ModelsReply } from '#lib/api/replies.ts';
import { type RunFilter, readRunFilter, writeRunFilter } from '#lib/api/run-filter.ts';
import { type RunOrder, readRunOrder, writeRunOrder } from '#lib/api/run-order.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { ACTIVE_TITLE, groupsByDate } from '#lib/browser/state/listed-runs.ts';
import { modelsRefresh } from '#lib/browser/state/models.ts';
import { isTyping } from '#lib/browser/typing.ts';
import { noRunsWords } from '#lib/browser/words/run-state-words.ts';
import { isSettled, ON_RETURN, useApi } from '../hooks/use-api.ts';
import { useHealth } from '../hooks/use-health.ts';
import { useToday } from '../hooks/use-now.ts';
import { useQuery } from '../hooks/use-query.ts';
import { useRunList } from '../hooks/use-run-list.ts';
import { PresetRow } from '../presets/preset-row.tsx';
import { Problem } from '../shell/problem.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { FoundInLogs } from './found-in-logs.tsx';
import { ImportRun } from './import-run.tsx';
import { QuickRun } from './quick-run.tsx';
import { SortSelect } from './run-columns.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunList } from './run-list.tsx';
import { Welcome } from './welcome.tsx';

const NO_MODELS: ModelsReply['models'] = [];

/** The first page: starts a run, and lists the others. */
export function Home({
  spentLink = false,
  newcomer,
}: {
  spentLink?: boolean;
  /** Whether the server found no run to list; what the page shows until it has read the list (docs/decisions/0082). */
  newcomer: boolean;
}) {
  const [query, changeQuery] = useQuery();
  const { filter, order, problems } = useMemo(() => readQuery(query), [query]);
  const filtered = Object.keys(filter).length > 0 || problems.length > 0;
  const list = useGroupedRuns(filter, order);
  const input = useRef<HTMLInputElement>(null);
  useSlash(input);
  const health = useHealth();
  const models = useApi<ModelsReply>('/api/models', modelsRefresh(20_000));
  const facets = useApi<FacetsReply>('/api/facets', ON_RETURN);
  const presets = useApi<PresetListReply>('/api/presets', ON_RETURN);
  // The presets come above the list, and would push it down.
  const groups = isSettled(presets) ? list.groups : undefined;
  const none = groups !== undefined && groups.length === 0;
  const empty = (groups ? none : newcomer && !list.error) && !filtered;
  const installed = models.data?.models ?? NO_MODELS;
  const names = [...installed, ...(facets.data?.models ?? [])].map(({ name }) => name);
  return (
    <main id="main" className="mx-auto w-full max-w-[110rem] flex-1 px-3 py-8 sm:px-6">
      {empty ? (
        <>
          <h1 className="text-2xl font-semibold tracking-[-0.02em]">See what your local agent does</h1>
          <p className="mt-2 mb-6 max-w-2xl text-lg text-ink-2 text-pretty">
            Give a model on this machine a task and a folder. Watch every step it takes, and read why it
            ended.
          </p>
        </>
      ) : (
        <h1 className="sr-only">Runs</h1>
      )}
      {list.error && !list.groups ? (
        <Problem error={list.error} onRetry={list.reload} spentLink={spentLink} />
      ) : (
        <div className="max-w-page print:hidden">
          <QuickRun models={models.data?.models} />
          <PresetRow />
        </div>
      )}
      {/* Below the form, which people may type into by now. */}
      {spentLink && groups && <SpentLink />}
      {health.data && !health.data.ollama.ok && !empty && <OllamaAway health={health.data} />}
      {empty && health.data && isSettled(models) && <Welcome health={health.data} models={installed} />}
      {groups && !empty && (
        <RunFilters
          filter={filter}
          problems={problems}
          models={names}
          facets={facets.data}
          onChange={(next, how) => changeQuery(writeRunFilter(query, next), how)}
          input={input}
        >
          <SortSelect order={order} onOrder={(next) => changeQuery(writeRunOrder(query, next), 'push')} />
        </RunFilters>
      )}
      {filtered && none && (
        <p role="status" className="mt-8 text-ink-2">
          {filter.text ? 'No titles match.' : noRunsWords({ filtered: true })}
        </p>
      )}
      {groups && !none && (
        <RunList
          groups={groups}
          order={order}
          onOrder={(next) => changeQuery(writeRunOrder(query, next), 'push')}
        />
      )}
      {list.moreError && (
        <div className="mt-4">
          <Problem error={list.moreError} onRetry={list.loadMore} />
        </div>
      )}
      {groups && list.hasMore && !list.moreError && (
        <button
          ref={passFocusOn}
          type="button"
          onClick={list.loadMore}
          className="mt-4 min-h-6 text-sm font-medium text-brass underline-offset-4 hover:underline print:hidden"
        >
          {order.by === 'created' ? 'Show earlier runs' : 'Show more runs'}
        </button>
      )}
      {groups && (!empty || (isSettled(health) && isSettled(models))) && (
        <div className="mt-4 flex flex-wrap items-baseline gap-x-5 gap-y-2 print:hidden">
          {!none && (
            <Link href="/compare" className="reach text-sm text-brass underline-offset-4 hover:underline">
              Compare runs
            </Link>
          )}
          {filter.archived === undefined && (
            <Link
              href="/?archived=only"
              className="reach text-sm text-brass underline-offset-4 hover:underline"
            >
              Archived runs
            </Link>
          )}
          <ImportRun />
        </div>
      )}
      {filter.text !== undefined && <FoundInLogs words={filter.text} />}
      {!groups && !list.error && !empty && isSettled(presets) && (
        <p className="mt-10 text-ink-3">Loading runs…</p>
      )}
    </main>
  );
}

function readQuery(query: URLSearchParams) {
  const { filter, problems } = readRunFilter(query);
  const { order, problems: others } = readRunOrder(query);
  return { filter, order, problems: [...problems, ...others] };
}

/** The list in groups: active runs, pinned runs, then by date; ungrouped if sorted by another column. */
function useGroupedRuns(filter: RunFilter, order: RunOrder) {
  const splits = filter.pinned === undefined;
  const newestFirst = order.by === 'created' && order.direction === 'desc';
  const main = useMemo(() => (splits ? { ...filter, pinned: false } : filter), [splits, filter]);
  const top = useMemo(() => ({ ...filter, pinned: true }), [filter]);
  const list = useRunList(main, { order, grouped: newestFirst && filter.family === undefined });
  const pinned = useRunList(top, { order });
  const today = useToday();
  const groups = useMemo(() => {
    if (!list.runs || (splits && !pinned.runs && !pinned.error)) return undefined;
    const pins = splits ? (pinned.runs ?? []) : [];
    const dated = newestFirst ? groupsByDate(list.runs, today) : [{ title: 'All runs', rows: list.runs }];
    const [first, ...rest] = dated;
    const active = first?.title === ACTIVE_TITLE ? [first] : [];
    const groups = [...active, { title: 'Pinned', rows: pins }, ...(active.length > 0 ? rest : dated)];
    return groups.filter(({ rows }) => rows.length > 0);
  }, [list.runs, pinned.runs, pinned.error, splits, newestFirst, today]);
  // Shown alone, the runs of a new filter would be pushed down by its pinned ones, from under the pointer.
  const shown = useRef(groups);
  if (!splits || list.isCurrent === pinned.isCurrent || list.error || pinned.error) shown.current = groups;
  return { ...list, groups: shown.current };
}

/** Only a brief note, because the browser is still signed in. */
function SpentLink() {
  return (
    <p className="mt-4 max-w-page rounded-md border bg-raised px-3.5 py-2.5 text-sm text-ink-2" role="status">
      This sign-in link was already used. This browser is signed in, so you can continue.{' '}
      <Link href="/" className="text-brass underline underline-offset-2">
        Hide this
      </Link>
    </p>
  );
}

/** `/` focuses the search, as in a run. */
function useSlash(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [input]);
}

/** In the space above the filters: it comes late, and must not push the list down from under the pointer. */
function OllamaAway({ health }: { health: HealthReply }) {
  const message = health.ollama.error?.message ?? `Ollama does not answer at ${health.ollama.url}.`;
  return (
    <div className="relative max-w-page">
      <p
        className="foreign absolute inset-x-0 top-1.5 flex gap-x-1.5 text-sm text-warn"
        role="status"
        title={message}
      >
        <span className="min-w-0 truncate">
          <ForeignText text={message} />
        </span>
        <Link href="/health" className="shrink-0 underline underline-offset-2">
          What to do
        </Link>
      </p>
    </div>
  );
}
