'use client';

import { ArrowRight } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import type { InstalledModel } from '#lib/api/replies.ts';
import { emptyDraft, requestOf } from '#lib/browser/drafts/run-draft.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import { callsTools, preferredModel, sortedModels } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useTypedEarly } from '../hooks/use-typed-early.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Link } from '../ui/link.tsx';
import { startRun } from './start-run.ts';

/** Starts a task with a model and defaults, with a link to the full form. */
export function QuickRun({ models }: { models: readonly InstalledModel[] }) {
  const router = useRouter();
  const [task, setTask] = useState('');
  const field = useTypedEarly(setTask);
  const [model, setModel] = useState('');
  const { busy, problem, run } = useRequest();
  useEffect(() => {
    setModel((chosen) =>
      models.some((each) => each.name === chosen) ? chosen : preferredModel(models, remembered('model')),
    );
  }, [models]);
  const chosen = models.find((each) => each.name === model);

  const start = () => {
    const draft = requestOf({ ...emptyDraft, task, model, liveTokens: remembered('live-tokens') === 'on' });
    if (!draft.ok) return;
    void run(async () => {
      router.push(await startRun(draft.request));
      return LEAVING;
    });
  };
  return (
    <form
      aria-label="Quick run"
      className="rounded-lg border border-line-strong bg-raised focus-within:border-ink-3"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <label htmlFor="quick-task" className="sr-only">
        Task
      </label>
      <textarea
        ref={field}
        id="quick-task"
        value={task}
        onChange={(event) => setTask(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
            event.currentTarget.form?.requestSubmit();
        }}
        placeholder="What should the agent do? It works in a fresh folder, with tools to read, write, search and run."
        rows={3}
        required
        className="block w-full resize-y rounded-t-lg bg-transparent px-4 pt-3 pb-1 text-base placeholder:text-ink-3 placeholder:opacity-100 focus-visible:outline-none"
      />
      <div className="flex flex-wrap items-center gap-2 px-3 pt-1 pb-3">
        <label htmlFor="quick-model" className="sr-only">
          Model
        </label>
        <select
          id="quick-model"
          value={model}
          onChange={(event) => setModel(event.target.value)}
          className="field h-9 w-auto max-w-64 py-0 font-mono text-sm"
          required
        >
          {models.length === 0 && <option value="">no model yet</option>}
          {sortedModels(models).map((each) => (
            <option key={each.name} value={each.name}>
              {shortLine(each.name)}
              {each.demo ? ' (demo)' : ''}
            </option>
          ))}
        </select>
        {chosen?.demo && <span className="text-sm text-ink-2">A scripted demo: it ignores the task.</span>}
        {chosen && callsTools(chosen) === false && (
          <span className="text-sm text-warn">This model does not support tools.</span>
        )}
        <Link
          href={`/runs/new?${new URLSearchParams({ ...(task && { task: task.slice(0, 1500) }), ...(model && { model }) })}`}
          className="reach ml-auto px-2 text-sm text-ink-2 underline-offset-4 hover:text-ink hover:underline"
        >
          All options
        </Link>
        <Button type="submit" kind={chosen?.demo ? 'plain' : 'primary'} disabled={busy || model === ''}>
          {busy ? 'Starting' : 'Start'}
          <ArrowRight className="size-4" aria-hidden="true" />
        </Button>
      </div>
      {problem && (
        <div className="px-3 pb-3">
          <ErrorNote error={problem} />
        </div>
      )}
    </form>
  );
}
