'use client';

import { useState } from 'react';
import type { ModelPull, ModelPullsReply } from '#lib/api/model-pull.ts';
import { ApiError, postJson } from '#lib/browser/api.ts';
import { useApi } from '../hooks/use-api.ts';

const RUNNING_MS = 500;
const IDLE_MS = 5000;

/** The models that Ollama is fetching, kept fresh, and how to begin and end one. */
export function usePulls(): {
  pulls: readonly ModelPull[];
  start: (model: string) => Promise<boolean>;
  cancel: (model: string) => Promise<boolean>;
  problem: ApiError | undefined;
} {
  const { data, reload } = useApi<ModelPullsReply>('/api/models/pull', (last) =>
    last?.pulls.some(({ status }) => status === 'pulling') ? RUNNING_MS : IDLE_MS,
  );
  const [problem, setProblem] = useState<ApiError>();
  const post = async (path: string, model: string) => {
    setProblem(undefined);
    try {
      await postJson(path, { model });
      reload();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      return false;
    }
  };
  return {
    pulls: data?.pulls ?? [],
    problem,
    start: (model) => post('/api/models/pull', model),
    cancel: (model) => post('/api/models/pull/cancel', model),
  };
}
