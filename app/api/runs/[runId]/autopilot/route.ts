import { autopilotRequest } from '#lib/api/create-run.ts';
import type { StopReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Switches a session's autopilot on or off. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const { on } = await readBody(request, autopilotRequest);
    const reply: StopReply = { run: await getRunService().switchAutopilot(runId, on) };
    return Response.json(reply);
  });
}
