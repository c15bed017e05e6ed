import type { RevokedApprovalsReply, StandingApprovalListReply } from '#lib/api/standing-approval.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The approvals for all calls of a tool in a folder. */
export function GET(request: Request) {
  return handle(request, async () => {
    const reply: StandingApprovalListReply = {
      standing_approvals: await getRunService().standingApprovals.list(),
    };
    return Response.json(reply);
  });
}

/** Revokes all of them. */
export function DELETE(request: Request) {
  return handle(request, async () => {
    const reply: RevokedApprovalsReply = { revoked: await getRunService().standingApprovals.revoke() };
    return Response.json(reply);
  });
}
