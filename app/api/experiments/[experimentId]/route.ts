import { getExperiments } from '#lib/app/current-experiments.ts';
import { MAX_EXPERIMENT_RUNS } from '#lib/events/limits.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ experimentId: string }> };

/** One experiment: its plan, its progress, and its runs in order with their results, or some of them. */
export function GET(request: Request, { params }: Context) {
  return handle(
    request,
    async () => {
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
    },
    { query: ['after', 'limit', 'cell', 'case'] },
  );
}

/** Deletes an experiment that has ended, with `?runs=1` also its runs. */
export function DELETE(request: Request, { params }: Context) {
  return handle(
    request,
    async () => {
      const runs = wholeNumber(request, 'runs', { min: 0, max: 1 }) === 1;
      const reply = await getExperiments().delete((await params).experimentId, { runs });
      for (const runId of reply.runs) getSharing().runDeleted(runId);
      return Response.json(reply);
    },
    { query: ['runs'] },
  );
}
