import type { RunSummary } from '../api/run-summary.ts';
import type { StandingApprovalRecord } from '../api/standing-approval.ts';
import type { EventRow } from './event-row.ts';

/** The data that an append writes: serialized events and what is derived from them. */
export interface LogGrowth {
  /** At least one; the first follows the last stored event. */
  readonly rows: readonly EventRow[];
  /** Increments of the model's counts from the replies among the events (P17). */
  readonly counts: readonly (readonly [counter: string, count: number])[];
  /** The decisions among the events that cover all calls of a tool in the run's folder. */
  readonly standingApprovals: readonly StandingApprovalRecord[];
  /** The run's summary after the last event. */
  readonly summary: RunSummary;
}

/** The last sequence number that the log must have to accept the rows. */
export function seqBefore(rows: readonly EventRow[]): number {
  return (rows[0]?.seq ?? 0) - 1;
}
