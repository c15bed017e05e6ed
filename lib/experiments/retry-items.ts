import type { ExperimentItem } from '../api/experiment.ts';
import { didRun } from '../api/result-outcome.ts';

/**
 * Whether an item has no result of its model: its run could not be created, or an error ended it before the model's
 * first reply (decision 77). Pure.
 */
export function didNotRun({ status, result }: ExperimentItem): boolean {
  return status === 'failed' || (result !== undefined && !didRun(result));
}

/** The item as it was before its run, which stays in the list of runs. Pure. */
export function waitingAgain({
  run_id: _run,
  result: _result,
  error: _error,
  ...item
}: ExperimentItem): ExperimentItem {
  return { ...item, status: 'waiting', retries: (item.retries ?? 0) + 1 };
}
