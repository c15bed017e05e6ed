import type { ExperimentItem, ExperimentSummary } from '../api/experiment.ts';

/** Reads experiments. */
export interface ExperimentReader {
  /** An experiment with all its items in order. */
  experiment(id: string): Promise<{ summary: ExperimentSummary; items: ExperimentItem[] } | undefined>;
  /** The newest experiments first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** Those that wait, run, or still have a run in progress, oldest first, for a worker that starts. */
  unfinishedExperiments(): Promise<ExperimentSummary[]>;
}

/** Keeps experiments and their items. */
export interface ExperimentStore extends ExperimentReader {
  /** Stores an experiment and the given items of it, together or not at all. */
  saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void>;
}
