import { rerunRequest } from '#lib/api/rerun-call.ts';
import { getReruns } from '#lib/app/current-models.ts';
import { handle, pathNumber, readBody } from '#lib/http/handle.ts';
import { updateStreamResponse } from '#lib/http/update-stream.ts';

export const dynamic = 'force-dynamic';

/** Sends a model call again, with changes, and streams the reply. The run is not changed, and no tool runs. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string; call: string }> }) {
  return handle(request, async () => {
    const { runId, call } = await params;
    const changes = await readBody(request, rerunRequest);
    const send = await getReruns().prepare(runId, pathNumber(call, 'call_not_found'), changes);
    return updateStreamResponse(send, request.signal);
  });
}
