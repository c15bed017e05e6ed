import type { ExperimentItem, ExperimentSummary, RunNote } from '../api/experiment.ts';
import type { SuiteCase } from '../api/suite.ts';

/** Reads experiments. */
export interface ExperimentReader {
  /** An experiment with all its items in order. */
  experiment(id: string): Promise<{ summary: ExperimentSummary; items: ExperimentItem[] } | undefined>;
  /** An experiment without its items. */
  experimentSummary(id: string): Promise<ExperimentSummary | undefined>;
  /** Annotations of its runs: scores and notes, by run ID. */
  experimentNotes(id: string): Promise<Map<string, RunNote>>;
  /** The IDs of its stored runs, including those that were replaced by a retry, but not forks. */
  experimentRuns(id: string): Promise<string[]>;
  /** The cases it was created with; `undefined` if it runs no suite. */
  experimentCases(id: string): Promise<SuiteCase[] | undefined>;
  /** The newest experiments first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** Experiments that wait, run, or still have a run in progress, oldest first, for a worker that starts. */
  unfinishedExperiments(): Promise<ExperimentSummary[]>;
}

/** Keeps experiments and their items. */
export interface ExperimentStore extends ExperimentReader {
  /** Stores an experiment with the given items and cases, together or not at all. */
  saveExperiment(
    summary: ExperimentSummary,
    items: readonly ExperimentItem[],
    cases?: readonly SuiteCase[],
  ): Promise<void>;
  /** Deletes an experiment with its items and cases, but not its runs. Returns whether it existed. */
  deleteExperiment(id: string): Promise<boolean>;
}
