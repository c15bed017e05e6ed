import type { ExperimentItem, ExperimentSummary } from '../api/experiment.ts';

/** Where experiments are kept. */
export interface ExperimentStore {
  /** Stores the experiment and the items that are given, together or not at all. */
  saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void>;
  /** With all its items in order. */
  experiment(id: string): Promise<{ summary: ExperimentSummary; items: ExperimentItem[] } | undefined>;
  /** The newest first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** Those that wait, run, or have a run in hand, oldest first. */
  unfinishedExperiments(): Promise<ExperimentSummary[]>;
}
