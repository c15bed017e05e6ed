import type { RunReply } from '#lib/api/replies.ts';
import { handle } from '#lib/http/handle.ts';
import { getRunService } from '#lib/runs/current-service.ts';

export const dynamic = 'force-dynamic';

/** One run: its summary and the configuration it runs with. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const reply: RunReply = await getRunService().get(runId);
    return Response.json(reply);
  });
}
