import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** One experiment: its plan, its progress, and its runs in order with their results. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    return Response.json(await getExperiments().get(experimentId));
  });
}
