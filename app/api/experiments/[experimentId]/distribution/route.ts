import { CELL_FIGURES } from '#lib/api/experiment-cells.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { distributionOf } from '#lib/experiments/plots.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** A figure of every run of an experiment, by cell. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      const figure = oneOf(new URL(request.url).searchParams, 'figure', CELL_FIGURES) ?? 'seconds';
      const { items } = await getExperiments().get(experimentId);
      return Response.json(distributionOf(items, figure));
    },
    { query: ['figure'] },
  );
}
