import { stopExperimentRequest } from '#lib/api/experiment.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Makes no further run; with `force` the one in hand is stopped at once. */
export function POST(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const { force } = await readBody(request, stopExperimentRequest);
    return Response.json(await getExperiments().stop(experimentId, { force }));
  });
}
