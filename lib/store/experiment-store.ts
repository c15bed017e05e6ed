import type { ExperimentItem, ExperimentSummary, RunNote } from '../api/experiment.ts';
import type { SuiteCase } from '../api/suite.ts';
import type { KeyUse, RequestKey } from './request-key.ts';

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
  /** What an idempotency key of experiments was used for. */
  experimentOfKey(key: string): Promise<KeyUse | undefined>;
  /** The newest experiments first. */
  experiments(): Promise<ExperimentSummary[]>;
  /** Experiments that wait, run, or still have a run in progress, oldest first, for a worker that starts. */
  unfinishedExperiments(): Promise<ExperimentSummary[]>;
}

/** An experiment to be created, with all its items. */
export interface CreatedExperiment {
  summary: ExperimentSummary;
  items: readonly ExperimentItem[];
  /** The cases of its suite. */
  cases?: readonly SuiteCase[] | undefined;
  key?: RequestKey | undefined;
}

/** Keeps experiments and their items. */
export interface ExperimentStore extends ExperimentReader {
  /**
   * Stores a new experiment with its items, cases and key, together or not at all.
   *
   * @returns what the key was used for before, in which case nothing is stored
   */
  createExperiment(created: CreatedExperiment): Promise<KeyUse | undefined>;
  /** Stores the new state of an experiment and of the given items, together or not at all. */
  saveExperiment(summary: ExperimentSummary, items: readonly ExperimentItem[]): Promise<void>;
  /** Deletes an experiment with its items and cases, but not its runs. Returns whether it existed. */
  deleteExperiment(id: string): Promise<boolean>;
}
