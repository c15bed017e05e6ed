import type { FacetsReply } from '../api/facets.ts';
import type { AnnotationChange } from '../api/run-annotations.ts';
import type { RunFamily } from '../api/run-family.ts';
import type { RunFilter } from '../api/run-filter.ts';
import type { RunExtras } from '../api/run-summary.ts';

/** Reads data about runs besides their logs. */
export interface AnnotationReader {
  /** `undefined` for a run that does not exist. */
  extras(runId: string): Promise<RunExtras | undefined>;
  /** The families with these IDs, of the runs that pass the filter. */
  families(ids: readonly string[], filter: RunFilter): Promise<Map<string, RunFamily>>;
  /** The tags, folders and models of all runs that are not archived. */
  facets(): Promise<FacetsReply>;
}

/** Stores annotations of runs, and deletions. */
export interface AnnotationStore extends AnnotationReader {
  /**
   * Changes the annotations of runs, all or none of them.
   *
   * @throws {RunNotFoundError | AppError} `too_many_tags` when a run would have more than `MAX_TAGS`
   */
  annotate(runIds: readonly string[], change: AnnotationChange): Promise<void>;
  /**
   * Hides runs that have ended, with their logs, until they are restored or purged; all or none of them. Their links are
   * revoked for good.
   *
   * @throws {RunNotFoundError | RunNotEndedError}
   */
  hideRuns(runIds: readonly string[], at: number): Promise<void>;
  /** Restores hidden runs. Returns those that still existed and could be restored. */
  restoreRuns(runIds: readonly string[]): Promise<string[]>;
  /** Makes the runs hidden before a time impossible to restore. Returns those that still exist. */
  finalizeDeletions(before: number): Promise<string[]>;
  /** Deletes the runs that were hidden before a time. Returns their IDs. */
  purgeRuns(before: number): Promise<string[]>;
}
