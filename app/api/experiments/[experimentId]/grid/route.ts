import { getExperiments } from '#lib/app/current-experiments.ts';
import { caseGrid } from '#lib/experiments/plots.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The outcome of each case of an experiment in each cell. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const { items } = await getExperiments().get(experimentId);
    return Response.json(caseGrid(items, await getExperiments().cases(experimentId)));
  });
}
