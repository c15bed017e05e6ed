import { stopExperimentRequest } from '#lib/api/experiment.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Starts no further runs; with `force` also stops the current one. */
export function POST(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const { force } = await readBody(request, stopExperimentRequest);
    return Response.json(await getExperiments().stop(experimentId, { force }));
  });
}
