'use client';

import { type FormEvent, useEffect, useState } from 'react';
import type { RECOMMENDED_MODELS } from '#lib/browser/state/models.ts';
import { useReload } from '../hooks/use-api.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { PullLine } from './pull-line.tsx';
import { usePulls } from './use-pulls.ts';

/** Pulls models by name or from the recommended ones. Ollama downloads them from its library. */
export function GetModels({ recommended }: { recommended: typeof RECOMMENDED_MODELS }) {
  const reload = useReload();
  const { pulls, start, cancel, problem } = usePulls();
  const [name, setName] = useState('');
  const done = pulls.filter(({ status }) => status === 'done').length;
  useEffect(() => {
    if (done > 0) reload('/api/models');
  }, [done, reload]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '' && (await start(name.trim()))) setName('');
  };
  const busy = new Set(pulls.flatMap(({ status, model }) => (status === 'pulling' ? [model] : [])));
  return (
    <section className="mt-10" aria-labelledby="get">
      <h2 id="get" className="font-semibold">
        Get a model
      </h2>
      <p className="text-sm text-ink-2">
        Ollama fetches it from its own library, <code>ollama.com/library</code>. An interrupted download
        resumes where it stopped.
      </p>
      <form onSubmit={(event) => void submit(event)} className="mt-3 flex max-w-md gap-2">
        <label htmlFor="pull-name" className="sr-only">
          Name in the library
        </label>
        <input
          id="pull-name"
          className="field min-w-0 flex-1 font-mono"
          placeholder="qwen3:8b"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={name.trim() === ''}>
          Pull
        </Button>
      </form>
      {problem && (
        <div className="mt-2 max-w-2xl">
          <ErrorNote error={problem} />
        </div>
      )}
      {pulls.length > 0 && (
        <ul aria-label="Pulls" className="mt-3 divide-y border-y">
          {pulls.map((pull) => (
            <li key={pull.model}>
              <PullLine
                pull={pull}
                onStart={() => void start(pull.model)}
                onCancel={() => void cancel(pull.model)}
              />
            </li>
          ))}
        </ul>
      )}
      {recommended.length > 0 && (
        <>
          <h3 className="caption mt-5">These call tools well</h3>
          <ul className="mt-1 divide-y border-y">
            {recommended.map((model) => (
              <li key={model.name} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
                <span className="font-mono text-sm font-medium sm:w-32">{model.name}</span>
                <span className="tnum w-16 font-mono text-xs text-ink-3">{model.size}</span>
                <span className="min-w-0 flex-1 basis-52 text-sm text-ink-2">{model.note}</span>
                <Button
                  size="sm"
                  disabled={busy.has(model.name)}
                  aria-label={busy.has(model.name) ? undefined : `Pull ${model.name}`}
                  onClick={() => void start(model.name)}
                >
                  {busy.has(model.name) ? 'Pulling' : 'Pull'}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
