import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Where a run comes from, and what was made from it. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    return Response.json(await getRunService().stored.forks(runId));
  });
}
