import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** How far runs with identical settings agree, and why they may diverge. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    return Response.json(await getExperiments().agreement(experimentId, request.signal));
  });
}
