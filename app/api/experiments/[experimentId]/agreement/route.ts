import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Up to where the runs that were meant to be the same agree, and why they may part. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    return Response.json(await getExperiments().agreement(experimentId, request.signal));
  });
}
