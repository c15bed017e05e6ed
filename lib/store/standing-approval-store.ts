import type { StandingApprovalRecord } from '../api/standing-approval.ts';

/** Reads the approvals for all calls of a tool in a folder. An append that contains such a decision adds them. */
export interface StandingApprovalReader {
  /** All standing approvals, most recent first. */
  standingApprovals(): Promise<StandingApprovalRecord[]>;
  /** The approval for this tool and folder. */
  standingApproval(tool: string, folder: string): Promise<StandingApprovalRecord | undefined>;
}

/** Stores the approvals for all calls of a tool in a folder. */
export interface StandingApprovalStore extends StandingApprovalReader {
  /** Deletes these approvals, or all of them. Returns the IDs of those that existed. */
  revokeStandingApprovals(ids?: readonly string[]): Promise<string[]>;
}
