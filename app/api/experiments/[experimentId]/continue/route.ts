import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Continues a stopped experiment. */
export function POST(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      return Response.json(await getExperiments().continue(experimentId));
    },
    { body: 'none' },
  );
}
