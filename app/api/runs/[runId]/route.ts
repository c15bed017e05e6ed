import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** One run: its summary and the configuration it runs with. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const reply: RunReply = await getRunService().stored.get(runId);
    return Response.json(reply);
  });
}

/** Deletes a run that has ended, with its log. Its links are revoked first. */
export function DELETE(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    await getRunService().delete(runId);
    getSharing().runDeleted(runId);
    return Response.json({ deleted: runId });
  });
}
