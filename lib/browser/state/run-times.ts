import { mean } from 'd3-array';
import type { RunSummary } from '../../api/run-summary.ts';
import { kindOf, type RunKind } from '../../events/modes.ts';

/** How long the runs of a model took. */
export interface RunTime {
  readonly model: string;
  /** Mean in milliseconds; missing if no run was measured. */
  readonly ms?: number;
  readonly runs: number;
}

/** How long runs of a kind took, by the runs of each model that ended on their own with a reply (decision 77). Pure. */
export function runTime(model: string, kind: RunKind, runs: readonly RunSummary[]): RunTime {
  const times = runs
    .filter((run) => kindOf(run) === kind && run.termination_reason !== 'stopped' && !isWithoutReply(run))
    .flatMap(({ worked_ms: ms }) => (ms === undefined ? [] : [ms]));
  // Not the median: many runs together take their number times the mean, even if a few take much longer.
  const ms = mean(times);
  return { model, runs: times.length, ...(ms === undefined ? {} : { ms }) };
}

/** Whether an error ended a run before any reply, so that its duration says nothing about the model. */
function isWithoutReply({ termination_reason: reason, tokens_out: tokens }: RunSummary): boolean {
  return reason === 'error' && tokens === 0;
}

/**
 * The total time of this many runs of each model; `unknown`: the models without a measured run. Pure.
 *
 * @param runsEach of each model
 */
export function estimateTime(
  times: readonly RunTime[],
  runsEach: number,
): { ms: number; measured: number; unknown: readonly string[] } {
  return {
    ms: times.reduce((sum, { ms = 0 }) => sum + ms * runsEach, 0),
    measured: times.reduce((sum, { runs }) => sum + runs, 0),
    unknown: times.filter(({ ms }) => ms === undefined).map(({ model }) => model),
  };
}
