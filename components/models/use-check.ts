'use client';

import { useEffect, useRef, useState } from 'react';
import type { CheckProgress, CheckProgressReply } from '#lib/api/model-check.ts';
import { postJson } from '#lib/browser/api.ts';
import { IDLE_MS, RUNNING_MS } from '../hooks/poll-intervals.ts';
import { useApi, useReload } from '../hooks/use-api.ts';
import { type RequestProblem, useRequest } from '../hooks/use-request.ts';

/** The running check or the last one, kept up to date, with functions to start and stop one. */
export interface Checking {
  progress: CheckProgress | undefined;
  running: boolean;
  start: (model: string) => Promise<void>;
  stop: (model: string) => Promise<void>;
  /** The refused request, and its model. */
  problem: { model: string; error: RequestProblem } | undefined;
}

/** A check that ends changes the list of models. */
export function useCheck(): Checking {
  const { data, reload } = useApi<CheckProgressReply>('/api/models/check', (last) =>
    isRunning(last?.check) ? RUNNING_MS : IDLE_MS,
  );
  const [asked, setAsked] = useState('');
  const { problem, run } = useRequest();
  const progress = data?.check;
  const ended = progress?.status === 'done' ? progress.ended_at : undefined;
  const reloadAll = useReload();
  const reloadedFor = useRef<number>(undefined);
  useEffect(() => {
    if (ended === undefined || reloadedFor.current === ended) return;
    reloadedFor.current = ended;
    reloadAll('/api/models');
  }, [ended, reloadAll]);
  const post = async (path: string, model: string) => {
    setAsked(model);
    await run(async () => {
      await postJson(path, { model });
      reload();
    });
  };
  return {
    progress,
    running: isRunning(progress),
    problem: problem && { model: asked, error: problem },
    start: (model) => post('/api/models/check', model),
    stop: (model) => post('/api/models/check/stop', model),
  };
}

function isRunning(check: CheckProgress | undefined): boolean {
  return check !== undefined && check.ended_at === undefined;
}
