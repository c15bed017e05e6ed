'use client';

import { useEffect, useRef, useState } from 'react';
import type { CheckProgress, CheckProgressReply } from '#lib/api/model-check.ts';
import { ApiError, postJson } from '#lib/browser/api.ts';
import { useApi } from '../hooks/use-api.ts';

const RUNNING_MS = 500;
const IDLE_MS = 5000;

/** The check that the server is at, or the last one, kept fresh; and how to begin and end one. */
export interface Checking {
  progress: CheckProgress | undefined;
  running: boolean;
  start: (model: string) => Promise<void>;
  stop: (model: string) => Promise<void>;
  /** What was refused, and for which model. */
  problem: { model: string; error: ApiError } | undefined;
}

/** @param onDone called when a check has brought a result */
export function useCheck(onDone: () => void): Checking {
  const { data, reload } = useApi<CheckProgressReply>('/api/models/check', (last) =>
    isRunning(last?.check) ? RUNNING_MS : IDLE_MS,
  );
  const [problem, setProblem] = useState<Checking['problem']>();
  const progress = data?.check;
  const ended = progress?.status === 'done' ? progress.ended_at : undefined;
  const told = useRef<number>(undefined);
  useEffect(() => {
    if (ended === undefined || told.current === ended) return;
    told.current = ended;
    onDone();
  }, [ended, onDone]);
  const post = async (path: string, model: string) => {
    setProblem(undefined);
    try {
      await postJson(path, { model });
      reload();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem({ model, error });
    }
  };
  return {
    progress,
    running: isRunning(progress),
    problem,
    start: (model) => post('/api/models/check', model),
    stop: (model) => post('/api/models/check/stop', model),
  };
}

function isRunning(check: CheckProgress | undefined): boolean {
  return check !== undefined && check.ended_at === undefined;
}
