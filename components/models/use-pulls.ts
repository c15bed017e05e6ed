'use client';

import type { ModelPull, ModelPullsReply } from '#lib/api/model-pull.ts';
import { postJson } from '#lib/browser/api.ts';
import { IDLE_MS, RUNNING_MS } from '../hooks/poll-intervals.ts';
import { useApi } from '../hooks/use-api.ts';
import { type RequestProblem, useRequest } from '../hooks/use-request.ts';

/** The models that Ollama is pulling, kept up to date, with functions to start and cancel a pull. */
export function usePulls(): {
  pulls: readonly ModelPull[];
  start: (model: string) => Promise<boolean>;
  cancel: (model: string) => Promise<boolean>;
  problem: RequestProblem | undefined;
} {
  const { data, reload } = useApi<ModelPullsReply>('/api/models/pull', (last) =>
    last?.pulls.some(({ status }) => status === 'pulling') ? RUNNING_MS : IDLE_MS,
  );
  const { problem, run } = useRequest();
  const post = (path: string, model: string) =>
    run(async () => {
      await postJson(path, { model });
      reload();
    });
  return {
    pulls: data?.pulls ?? [],
    problem,
    start: (model) => post('/api/models/pull', model),
    cancel: (model) => post('/api/models/pull/cancel', model),
  };
}
