import type { RunSummary } from '../../api/run-summary.ts';
import type { RunPhase } from '../../events/run-phase.ts';
import { endWords, type Tone } from './end-words.ts';

const PHASES: Record<RunPhase, string> = {
  queued: 'Waiting in queue',
  starting: 'Starting',
  loading: 'Loading the model',
  between: 'Between steps',
  calling: 'Calling the model',
  deciding: 'Reading the reply',
  'awaiting-server': 'Waiting for Ollama',
  'awaiting-approval': 'Waiting for you',
  'awaiting-message': 'Waiting for you',
  executing: 'Running tools',
  verifying: 'Checking the work',
  ended: 'Ended',
};

const PHASE_TONES: Partial<Record<RunPhase, Tone>> = {
  queued: 'calm',
  'awaiting-server': 'warn',
  'awaiting-approval': 'warn',
  'awaiting-message': 'calm',
};

/** A run's activity or outcome, for lists. */
export function runStateWords(run: RunSummary): { label: string; tone: Tone } {
  const imported = run.imported_at !== undefined;
  if (run.phase === 'ended') {
    if (run.outcome) return endWords(run.outcome);
    return { label: imported ? 'Not ended' : 'Ended', tone: imported ? 'calm' : 'fail' };
  }
  const tone = PHASE_TONES[run.phase] ?? 'live';
  if (run.stop_requested) return { label: 'Stopping', tone };
  if (run.queue_position !== undefined) return { label: `Position ${run.queue_position} in the queue`, tone };
  return { label: PHASES[run.phase] ?? run.phase, tone }; // a later version may have other phases
}

/** Shown instead of an empty list of runs. */
export function noRunsWords({ filtered }: { filtered: boolean }): string {
  return filtered ? 'No runs match.' : 'There are no runs yet.';
}
