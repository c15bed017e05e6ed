import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Retries the runs that did not run. */
export function POST(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      return Response.json(await getExperiments().retry(experimentId));
    },
    { body: 'none' },
  );
}
