'use client';

import { useRouter } from 'next/navigation';
import { type ChangeEvent, useEffect, useRef } from 'react';
import type { RunReply } from '#lib/api/replies.ts';
import { postLines } from '#lib/browser/api.ts';
import { offerCommands } from '#lib/browser/state/commands.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { ErrorNote } from '../ui/error-note.tsx';

/** Imports a run file or a bug bundle. */
export function ImportRun() {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const { busy, problem, run: request } = useRequest();
  useEffect(
    () =>
      offerCommands([
        {
          id: 'import-run',
          label: 'Import a run from a file',
          group: 'Runs',
          run: () => input.current?.click(),
        },
      ]),
    [],
  );
  const chosen = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    // The same file can be chosen again after a mistake.
    event.target.value = '';
    if (!file) return;
    void request(async () => {
      const { run } = await postLines<RunReply>('/api/import', file);
      router.push(`/runs/${encodeURIComponent(run.id)}`);
      return LEAVING;
    });
  };
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() => input.current?.click()}
        title="A run file or bug bundle exported from Loupe"
        className="reach text-sm text-brass underline-offset-4 hover:underline disabled:text-ink-3"
      >
        {busy ? 'Reading the file' : 'Import a run'}
      </button>
      <input
        ref={input}
        type="file"
        accept=".jsonl,application/x-ndjson"
        aria-label="Run file"
        className="sr-only"
        tabIndex={-1}
        onChange={chosen}
      />
      {problem && (
        <div className="mt-3 w-full">
          <ErrorNote error={problem} />
        </div>
      )}
    </>
  );
}
