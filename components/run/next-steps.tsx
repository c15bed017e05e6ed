'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { ApiError } from '#lib/browser/api.ts';
import { draftOf, requestOf } from '#lib/browser/run-draft.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { startRun } from '../home/start-run.ts';
import { Button, buttonClass } from '../ui/button.tsx';

/** What to do after a run: the same again, the same with a hint in the same folder, or with changes. */
export function NextSteps({ runId, config }: { runId: string; config: RunConfig }) {
  const router = useRouter();
  const [hinting, setHinting] = useState(false);
  const [hint, setHint] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const start = async (changes: { task?: string; workspace?: string }) => {
    const draft = draftOf(config, runId);
    const read = requestOf({
      ...draft,
      task: changes.task ?? draft.task,
      ...(changes.workspace ? { workspaceKind: 'folder' as const, workspace: changes.workspace } : {}),
    });
    if (!read.ok) {
      setProblem(Object.values(read.problems).join(' '));
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      router.push(await startRun(read.request));
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      setProblem([error.message, error.hint].filter(Boolean).join(' '));
    }
  };
  const goOn = (event: FormEvent) => {
    event.preventDefault();
    const words = hint.trim() === '' ? '' : `\n\nHint: ${hint.trim()}`;
    void start({
      task: `${config.task}\n\nAn earlier run worked on this in the same folder. Look at what is there and go on.${words}`,
      workspace: config.workspace,
    });
  };
  const continues = config.mode === 'task' && config.agentic && config.workspace !== '';
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" disabled={busy} onClick={() => void start({})}>
          Run again
        </Button>
        {continues && (
          <Button size="sm" aria-expanded={hinting} onClick={() => setHinting(!hinting)}>
            Continue with a hint
          </Button>
        )}
        <Link href={`/runs/new?from=${encodeURIComponent(runId)}`} className={buttonClass('plain', 'sm')}>
          Run again with changes
        </Link>
      </div>
      {hinting && (
        <form onSubmit={goOn} className="flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-64">
            <label htmlFor="hint" className="mb-1 block text-sm font-medium">
              What should it know?
            </label>
            <textarea
              id="hint"
              rows={2}
              className="field"
              value={hint}
              onChange={(event) => setHint(event.target.value)}
              placeholder="A new run in the same folder is told to go on from the files that are there."
            />
          </div>
          <Button type="submit" kind="primary" size="sm" disabled={busy}>
            {busy ? 'Starting' : 'Continue'}
          </Button>
        </form>
      )}
      {problem && (
        <p role="alert" className="text-sm text-fail">
          {problem}
        </p>
      )}
    </div>
  );
}
