import { extendExperimentRequest } from '#lib/api/experiment.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle, readBody, wholeNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Adds models, values, seeds or repeats; with `?count=1` only counts their runs. */
export function POST(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      const more = await readBody(request, extendExperimentRequest);
      const counts = wholeNumber(request, 'count', { min: 0, max: 1 }) === 1;
      const experiments = getExperiments();
      return Response.json(
        await (counts
          ? experiments.countExtension(experimentId, more)
          : experiments.extend(experimentId, more)),
      );
    },
    { query: ['count'] },
  );
}
