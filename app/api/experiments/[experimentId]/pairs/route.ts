import { getExperiments } from '#lib/app/current-experiments.ts';
import { MAX_EXPERIMENT_RUNS } from '#lib/events/limits.ts';
import { comparePairs } from '#lib/experiments/cells.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Compares two cells by their runs with the same seed and repeat. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      const range = { min: 1, max: MAX_EXPERIMENT_RUNS };
      const a = wholeNumber(request, 'a', range) ?? 1;
      const b = wholeNumber(request, 'b', range) ?? 2;
      const { items } = await getExperiments().get(experimentId);
      return Response.json(comparePairs(items, a, b));
    },
    { query: ['a', 'b'] },
  );
}
