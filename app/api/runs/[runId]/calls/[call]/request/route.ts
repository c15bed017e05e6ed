import { getRunService } from '#lib/app/current-service.ts';
import { handle, pathNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The request of a model call, rebuilt from the log. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string; call: string }> }) {
  return handle(request, async () => {
    const { runId, call } = await params;
    const { reply } = await getRunService().stored.sentRequest(runId, pathNumber(call, 'call_not_found'));
    return Response.json(reply);
  });
}
