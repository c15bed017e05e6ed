/** The meaning of a run's duration, as a tooltip (`RunSummary.worked_ms`). */
export const DURATION_HINT =
  'How long the run worked. Time in the queue or waiting for you or for Ollama does not count.';
