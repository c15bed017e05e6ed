import type { RunSummary } from '../api/run-summary.ts';
import type { StandingApprovalRecord } from '../api/standing-approval.ts';
import type { EventRow } from './event-row.ts';

/** What an append writes: serialized events and the data derived from them. */
export interface LogGrowth {
  /** At least one; the first follows the last stored event. */
  readonly rows: readonly EventRow[];
  /** What the replies among the events add to the counts of their model (P17). */
  readonly counts: readonly (readonly [counter: string, count: number])[];
  /** The decisions among the events that cover all calls of a tool in the run's folder. */
  readonly standingApprovals: readonly StandingApprovalRecord[];
  /** The run's summary after the last event. */
  readonly summary: RunSummary;
}

/** The sequence number that the log must be at to take the rows. */
export function seqBefore(rows: readonly EventRow[]): number {
  return (rows[0]?.seq ?? 0) - 1;
}
