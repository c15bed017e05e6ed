'use client';

import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { HealthReply, ModelsReply } from '#lib/api/replies.ts';
import { readRunFilter, writeRunFilter } from '#lib/api/run-filter.ts';
import { canRun, modelsRefresh } from '#lib/browser/state/models.ts';
import { isTyping } from '#lib/browser/typing.ts';
import { useApi } from '../hooks/use-api.ts';
import { useQuery } from '../hooks/use-query.ts';
import { useRunList } from '../hooks/use-run-list.ts';
import { Problem } from '../shell/problem.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { FoundInLogs } from './found-in-logs.tsx';
import { ImportRun } from './import-run.tsx';
import { QuickRun } from './quick-run.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunList } from './run-list.tsx';
import { Welcome } from './welcome.tsx';

const NO_MODELS: ModelsReply['models'] = [];

/** The first page: start a run, and see those that are at work. */
export function Home({ spentLink = false }: { spentLink?: boolean }) {
  const [query, changeQuery] = useQuery();
  const { filter, problems } = useMemo(() => readRunFilter(query), [query]);
  const filtered = Object.keys(filter).length > 0 || problems.length > 0;
  const list = useRunList(filter);
  const input = useRef<HTMLInputElement>(null);
  useSlash(input);
  const health = useApi<HealthReply>('/api/health', 10_000);
  const models = useApi<ModelsReply>('/api/models', modelsRefresh(20_000));
  const none = list.runs !== undefined && list.runs.length === 0;
  const empty = none && !filtered;
  const installed = models.data?.models ?? NO_MODELS;
  const able = useMemo(() => installed.filter(canRun), [installed]);
  const names = [...installed, ...(list.runs ?? [])].map((one) => ('model' in one ? one.model : one.name));
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6 sm:py-12">
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
      {spentLink && list.runs && <SpentLink />}
      {list.error && !list.runs ? (
        <Problem error={list.error} onRetry={list.reload} spentLink={spentLink} />
      ) : (
        <QuickRun models={able} />
      )}
      {health.data && !health.data.ollama.ok && !empty && <OllamaAway health={health.data} />}
      {empty && health.data && <Welcome health={health.data} models={installed} />}
      {list.runs && !empty && (
        <RunFilters
          filter={filter}
          problems={problems}
          models={[...new Set(names)]}
          onChange={(next, how) => changeQuery(writeRunFilter(query, next), how)}
          input={input}
        />
      )}
      {filtered && none && (
        <p role="status" className="mt-8 text-ink-2">
          No runs match.
        </p>
      )}
      {list.runs && <RunList runs={list.runs} />}
      {list.runs && (
        <div className="mt-4 flex flex-wrap items-baseline gap-x-5 gap-y-2">
          {list.runs.length > 1 && (
            <Link href="/compare" className="reach text-sm text-brass underline-offset-4 hover:underline">
              Compare two runs
            </Link>
          )}
          <ImportRun />
        </div>
      )}
      {list.moreError && (
        <div className="mt-4">
          <Problem error={list.moreError} onRetry={list.loadMore} />
        </div>
      )}
      {list.hasMore && !list.moreError && (
        <button
          type="button"
          onClick={list.loadMore}
          className="mt-4 text-sm font-medium text-brass underline-offset-4 hover:underline"
        >
          Show earlier runs
        </button>
      )}
      {filter.text !== undefined && <FoundInLogs words={filter.text} />}
      {!list.runs && !list.error && <p className="mt-10 text-ink-3">Loading runs.</p>}
    </main>
  );
}

/** Only a word in passing: the browser was let in by its earlier sign-in. */
function SpentLink() {
  return (
    <p className="mb-4 rounded-md border bg-raised px-3.5 py-2.5 text-sm text-ink-2" role="status">
      That sign-in link was used before. This browser is signed in already, so nothing is missing.{' '}
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

function OllamaAway({ health }: { health: HealthReply }) {
  return (
    <p className="foreign mt-3 text-sm text-warn" role="status">
      <ForeignText text={health.ollama.error?.message ?? `Ollama does not answer at ${health.ollama.url}.`} />{' '}
      <Link href="/health" className="underline underline-offset-2">
        What to do
      </Link>
    </p>
  );
}
