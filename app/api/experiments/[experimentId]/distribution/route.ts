import { CELL_FIGURES } from '#lib/api/experiment-cells.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { distributionOf } from '#lib/experiments/plots.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** A figure of every run of an experiment, by cell. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const asked = new URL(request.url).searchParams.get('figure') ?? 'seconds';
    const figure = CELL_FIGURES.find((name) => name === asked);
    if (figure === undefined) {
      throw new AppError({
        code: 'invalid_request',
        message: `figure is "${asked.slice(0, 40)}"; it must be one of ${CELL_FIGURES.join(', ')}.`,
      });
    }
    const { items } = await getExperiments().get(experimentId);
    return Response.json(distributionOf(items, figure));
  });
}
