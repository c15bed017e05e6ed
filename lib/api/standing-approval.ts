import { z } from 'zod';

/** An approval for all calls of a tool in a folder, made by a decision of the operator in a run. */
export const standingApprovalRecord = z.object({
  id: z.string(),
  tool: z.string(),
  /** The workspace of the runs it covers. */
  folder: z.string(),
  /** The run and the event of the decision. */
  run_id: z.string(),
  seq: z.int().positive(),
  /** Milliseconds since 1970. */
  created_at: z.int().nonnegative(),
});
export type StandingApprovalRecord = z.infer<typeof standingApprovalRecord>;

/** A standing approval in a list. */
export interface StandingApproval extends StandingApprovalRecord {
  /** The title of the run; missing if it was deleted. */
  run_title?: string;
}

/** Most recent first. */
export interface StandingApprovalListReply {
  standing_approvals: StandingApproval[];
}

/** IDs of the revoked approvals. */
export interface RevokedApprovalsReply {
  revoked: string[];
}
