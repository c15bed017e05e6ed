import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** One run: its summary and configuration. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const reply: RunReply = await getRunService().stored.get(runId);
    return Response.json(reply);
  });
}

/** Deletes an ended run with its log, after revoking its links. */
export function DELETE(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    await getRunService().delete(runId);
    getSharing().runDeleted(runId);
    return Response.json({ deleted: runId });
  });
}
