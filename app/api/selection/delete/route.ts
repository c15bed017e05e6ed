import { selectionRequest } from '#lib/api/annotate-run.ts';
import type { DeletedReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** Deletes ended runs, all or none of them. For a while they can be restored; their links cannot. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { runs } = await readBody(request, selectionRequest);
    const reply: DeletedReply = await getRunService().organizer.delete(runs);
    for (const runId of reply.deleted) getSharing().runDeleted(runId);
    return Response.json(reply);
  });
}
