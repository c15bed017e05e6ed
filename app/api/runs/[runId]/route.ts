import { annotateRunRequest } from '#lib/api/annotate-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';
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

/** Changes what a person noted about a run: its title, tags, note, score, pin and archive. */
export function PATCH(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const change = await readBody(request, annotateRunRequest);
    const [run] = await getRunService().organizer.annotate([runId], change);
    if (!run) throw new RangeError(`Run ${runId} was annotated but does not exist`);
    return Response.json({ run });
  });
}

/** Deletes an ended run with its log for good, after revoking its links. */
export function DELETE(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    await getRunService().delete(runId);
    getSharing().runDeleted(runId);
    return Response.json({ deleted: runId });
  });
}
