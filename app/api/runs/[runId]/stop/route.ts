import { stopRunRequest } from '#lib/api/create-run.ts';
import type { StopReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Asks a run to stop after the current step, or immediately with `force` (S13, S14). */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const { force } = await readBody(request, stopRunRequest);
    const reply: StopReply = { run: await getRunService().stop(runId, { force }) };
    return Response.json(reply);
  });
}
