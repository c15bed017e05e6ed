import type { ExperimentSummary } from '#lib/api/experiment.ts';
import type { Tone } from '#lib/browser/words/end-words.ts';

export const STATUS_WORDS: Record<ExperimentSummary['status'], { label: string; tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'calm' },
  running: { label: 'Running', tone: 'live' },
  stopped: { label: 'Stopped', tone: 'warn' },
  finished: { label: 'Finished', tone: 'ok' },
};
