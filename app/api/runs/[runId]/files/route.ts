import type { ChangedFilesReply } from '#lib/api/changed-files.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The files that the tools of a run changed, and how they are now. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const reply: ChangedFilesReply = await getRunService().files.list(runId);
    return Response.json(reply);
  });
}
