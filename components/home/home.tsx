'use client';

import Link from 'next/link';
import type { HealthReply, ModelsReply } from '#lib/api/replies.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRunList } from '../hooks/use-run-list.ts';
import { Problem } from '../shell/problem.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { QuickRun } from './quick-run.tsx';
import { RunList } from './run-list.tsx';
import { Welcome } from './welcome.tsx';

const NO_MODELS: ModelsReply['models'] = [];

/** The first page: start a run, and see those that are at work. */
export function Home() {
  const list = useRunList();
  const health = useApi<HealthReply>('/api/health', 10_000);
  const models = useApi<ModelsReply>('/api/models', 20_000);
  const empty = list.runs !== undefined && list.runs.length === 0;
  const installed = models.data?.models ?? NO_MODELS;
  return (
    <main id="main" className="mx-auto w-full max-w-4xl flex-1 px-3 py-8 sm:px-6 sm:py-12">
      {empty ? (
        <>
          <h1 className="text-2xl font-semibold tracking-[-0.02em]">See what your local agent does</h1>
          <p className="mt-2 mb-6 max-w-2xl text-lg text-ink-2">
            Give a model on this machine a task and a folder. Watch every step it takes, and read why it
            ended.
          </p>
        </>
      ) : (
        <h1 className="sr-only">Runs</h1>
      )}
      {list.error && !list.runs ? (
        <Problem error={list.error} onRetry={list.reload} />
      ) : (
        <QuickRun models={installed} />
      )}
      {health.data && !health.data.ollama.ok && !empty && <OllamaAway health={health.data} />}
      {empty && health.data && <Welcome health={health.data} models={installed} />}
      {list.runs && !empty && <RunList runs={list.runs} />}
      {list.hasMore && (
        <button
          type="button"
          onClick={list.loadMore}
          className="mt-4 text-sm font-medium text-brass underline-offset-4 hover:underline"
        >
          Show earlier runs
        </button>
      )}
      {!list.runs && !list.error && <p className="mt-10 text-ink-3">Reading the list of runs.</p>}
    </main>
  );
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
