import type { ExperimentItem, ExperimentSummary, RunNote } from '../api/experiment.ts';
import type { SuiteCase } from '../api/suite.ts';

/** Reads experiments. */
export interface ExperimentReader {
  /** An experiment with all its items in order. */
  experiment(id: string): Promise<{ summary: ExperimentSummary; items: ExperimentItem[] } | undefined>;
  /** An experiment without its items. */
  experimentSummary(id: string): Promise<ExperimentSummary | undefined>;
  /** What people noted about its runs: scores and notes, by the ID of the run. */
  experimentNotes(id: string): Promise<Map<string, RunNote>>;
  /** The IDs of its runs that are stored, also of those that were started again; without forks. */
  experimentRuns(id: string): Promise<string[]>;
  /** The cases it was stored with; `undefined` if it runs no suite. */
  experimentCases(id: string): Promise<SuiteCase[] | undefined>;
  /** The newest experiments first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** Those that wait, run, or still have a run in progress, oldest first, for a worker that starts. */
  unfinishedExperiments(): Promise<ExperimentSummary[]>;
}

/** Keeps experiments and their items. */
export interface ExperimentStore extends ExperimentReader {
  /** Stores an experiment, the given items of it, and its cases if they are given, together or not at all. */
  saveExperiment(
    summary: ExperimentSummary,
    items: readonly ExperimentItem[],
    cases?: readonly SuiteCase[],
  ): Promise<void>;
  /** Deletes an experiment with its items and cases; its runs stay. Returns whether there was such an experiment. */
  deleteExperiment(id: string): Promise<boolean>;
}
