import { approvalRequest } from '#lib/api/create-run.ts';
import type { ApprovalReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Records a person's decision on a call that awaits approval. Repeating the same decision has no effect. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const { call_id: callId, ...decision } = await readBody(request, approvalRequest);
    const reply: ApprovalReply = { run: await getRunService().approve(runId, { callId, ...decision }) };
    return Response.json(reply);
  });
}
