import { type RevertReply, revertRequest } from '#lib/api/changed-files.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Restores files to their content before a run. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const reply: RevertReply = await getRunService().files.revert(
      runId,
      await readBody(request, revertRequest),
    );
    return Response.json(reply);
  });
}
