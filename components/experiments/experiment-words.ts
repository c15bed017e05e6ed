import type { ExperimentMode, ExperimentSummary } from '#lib/api/experiment.ts';
import type { Tone } from '#lib/browser/words/end-words.ts';
import { MODES, QUICK_PROMPT } from '#lib/events/modes.ts';

export const STATUS_WORDS: Record<ExperimentSummary['status'], { label: string; tone: Tone }> = {
  waiting: { label: 'Waits for another', tone: 'calm' },
  running: { label: 'Running', tone: 'live' },
  stopped: { label: 'Stopped', tone: 'warn' },
  finished: { label: 'Finished', tone: 'ok' },
};

/** What the runs of an experiment are. */
export const MODE_WORDS: Record<ExperimentMode, string> = {
  explore: MODES.explore.labels,
  task: MODES.task.labels,
  prompt: QUICK_PROMPT.labels,
};
