import type { CycleTable } from '../events/cycle-table.ts';
import type { SimilarityMatrix } from '../events/similarity-matrix.ts';
import type { RunSummary } from './run-summary.ts';

/** `GET /api/explorations?run=ID` */
export interface ExplorationsReply {
  /** In the order of the request. */
  runs: { run: RunSummary; table: CycleTable }[];
  /** The reflections of all runs, run by run. */
  similarity: SimilarityMatrix;
  /** Mean similarity within each run (on the diagonal) and between each two; `null` where nothing can be compared. */
  by_run: (number | null)[][];
}
