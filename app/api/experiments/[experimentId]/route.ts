import { getExperiments } from '#lib/app/current-experiments.ts';
import { MAX_EXPERIMENT_RUNS } from '#lib/events/limits.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** One experiment: its plan, its progress, and its runs in order with their results, or some of them. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const max = MAX_EXPERIMENT_RUNS;
    return Response.json(
      await getExperiments().page(experimentId, {
        after: wholeNumber(request, 'after', { min: 0, max }),
        limit: wholeNumber(request, 'limit', { min: 0, max }),
        cell: wholeNumber(request, 'cell', { min: 1, max }),
        case: new URL(request.url).searchParams.get('case') ?? undefined,
      }),
    );
  });
}
