import type { ExperimentMode, ExperimentSummary } from '#lib/api/experiment.ts';
import type { Tone } from '#lib/browser/words/end-words.ts';
import { RUN_KINDS } from '#lib/events/modes.ts';

export const STATUS_WORDS: Record<ExperimentSummary['status'], { label: string; tone: Tone }> = {
  waiting: { label: 'Waits for another', tone: 'calm' },
  running: { label: 'Running', tone: 'live' },
  stopped: { label: 'Stopped', tone: 'warn' },
  finished: { label: 'Finished', tone: 'ok' },
};

/** What the runs of an experiment are, in the order in which its form offers them. */
export const MODE_WORDS: Record<ExperimentMode, string> = {
  explore: RUN_KINDS.explore.labels,
  task: RUN_KINDS.task.labels,
  prompt: RUN_KINDS.prompt.labels,
};
