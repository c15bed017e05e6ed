import type { RevokedApprovalsReply } from '#lib/api/standing-approval.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Revokes one standing approval. */
export function DELETE(request: Request, { params }: { params: Promise<{ approvalId: string }> }) {
  return handle(request, async () => {
    const { approvalId } = await params;
    const reply: RevokedApprovalsReply = {
      revoked: await getRunService().standingApprovals.revoke(approvalId),
    };
    return Response.json(reply);
  });
}
