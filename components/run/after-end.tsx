'use client';

import { isDemoRun } from '#lib/browser/state/models.ts';
import { FreeMemory } from '../models/free-memory.tsx';
import { PullMissing } from '../models/pull-missing.tsx';
import { useRun } from '../run-view/run-context.tsx';
import { Downloads } from './downloads.tsx';
import { NextSteps } from './next-steps.tsx';
import { ThinkingRetry } from './thinking-retry.tsx';

/** The foot of the end card in the dashboard: what to do next, and the run as files. */
export function AfterEnd() {
  const runId = useRun((view) => view.run.runId);
  const config = useRun((view) => view.run.config);
  const isMissing = useRun((view) => view.run.result?.error?.code === 'model_missing');
  const stopped = useRun((view) => view.run.result?.termination_reason === 'stopped');
  const model = config && isMissing && !isDemoRun(config.model) ? config.model : undefined;
  return (
    <>
      {model !== undefined && <PullMissing model={model} />}
      <ThinkingRetry />
      {config ? (
        <NextSteps runId={runId} config={config} isSecond={model !== undefined}>
          <Downloads runId={runId} mode={config.mode} />
        </NextSteps>
      ) : (
        <Downloads runId={runId} mode={undefined} />
      )}
      {config && stopped && <FreeMemory model={config.model} />}
    </>
  );
}
