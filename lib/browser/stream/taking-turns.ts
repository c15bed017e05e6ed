import type { RunSummary } from '../../api/run-summary.ts';
import { isSameModel } from '../../util/model-name.ts';

/**
 * The endless run that an endless run with this model would take turns with, each change costing a load of the model;
 * `undefined` if there is none. A session that waits for a message does not take turns. Pure.
 */
export function takesTurnsWith(runs: readonly RunSummary[], model: string): RunSummary | undefined {
  if (model === '') return undefined;
  return runs.find(
    (run) =>
      run.phase !== 'ended' &&
      run.phase !== 'awaiting-message' &&
      run.agentic &&
      run.max_iterations === 0 &&
      !isSameModel(run.model, model),
  );
}
