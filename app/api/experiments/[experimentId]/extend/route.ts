import { extendExperimentRequest } from '#lib/api/experiment.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Adds models, values, seeds or repeats. */
export function POST(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const more = await readBody(request, extendExperimentRequest);
    return Response.json(await getExperiments().extend(experimentId, more));
  });
}
