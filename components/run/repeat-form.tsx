'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import type { ExperimentReply } from '#lib/api/experiment.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { getJson } from '#lib/browser/api.ts';
import { createOnce } from '#lib/browser/create-once.ts';
import {
  chosenFolder,
  MAX_RUN_REPEATS,
  MIN_RUN_REPEATS,
  repeatRequest,
} from '#lib/browser/drafts/repeat-run.ts';
import { runTitle } from '#lib/browser/words/mode-words.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { kindFacts, kindOf } from '#lib/events/modes.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** Runs the same configuration several times, to see how far the runs agree. */
export function RepeatForm({
  runId,
  config,
  imported,
}: {
  runId: string;
  config: RunConfig;
  /** Its folder was named by a file, and is not used without consent. */
  imported: boolean;
}) {
  const router = useRouter();
  const [times, setTimes] = useState('5');
  const { busy, problem, setProblem, run: request } = useRequest();
  const start = (event: FormEvent) => {
    event.preventDefault();
    const count = Number(times);
    if (!Number.isInteger(count) || count < MIN_RUN_REPEATS || count > MAX_RUN_REPEATS) {
      setProblem({ message: `A whole number from ${MIN_RUN_REPEATS} to ${MAX_RUN_REPEATS}.` });
      return;
    }
    void request(async () => {
      // Only the server's answer says whether the run was imported: this page may not know it yet.
      const { run } = await getJson<RunReply>(`/api/runs/${encodeURIComponent(runId)}`);
      const plan = repeatRequest(config, { run, title: runTitle(config), times: count });
      const { experiment } = await createOnce<ExperimentReply>('/api/experiments', plan);
      router.push(`/experiments/${experiment.id}`);
      return LEAVING;
    });
  };
  return (
    <form onSubmit={start} className="grid gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <div>
          <label htmlFor="repeat-times" className="mb-1 block text-sm font-medium">
            How many times?
          </label>
          <input
            id="repeat-times"
            inputMode="numeric"
            autoComplete="off"
            className="field tnum w-24 font-mono text-sm"
            value={times}
            onChange={(event) => setTimes(event.target.value)}
          />
        </div>
        <Button type="submit" kind="primary" size="sm" className="mb-0.5" disabled={busy}>
          {busy ? 'Starting' : 'Start runs'}
        </Button>
      </div>
      <p className="text-sm text-ink-3">
        Creates an experiment that repeats this run{folderWords(config, runId, imported)}. Its page shows
        where the runs diverge.
      </p>
      {problem && <ErrorNote error={problem} />}
    </form>
  );
}

function folderWords(config: RunConfig, runId: string, imported: boolean): string {
  if (!kindFacts(kindOf(config)).usesFiles) return '';
  return imported || chosenFolder(config, { id: runId }) === undefined
    ? ', each in its own empty folder'
    : ', each on its own copy of the folder as it is now';
}
