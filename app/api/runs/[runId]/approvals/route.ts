import { approvalsRequest } from '#lib/api/create-run.ts';
import type { ApprovalReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/**
 * Records a person's decision on a call that awaits approval, or on several at once. Repeating the same decision has no
 * effect.
 */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const { decisions } = await readBody(request, approvalsRequest);
    const requests = decisions.map(({ call_id: callId, ...decision }) => ({ callId, ...decision }));
    const reply: ApprovalReply = { run: await getRunService().approve(runId, requests) };
    return Response.json(reply);
  });
}
