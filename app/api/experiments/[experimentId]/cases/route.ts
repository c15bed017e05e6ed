import type { ExperimentCasesReply } from '#lib/api/suite.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The cases that an experiment runs, as they were when it was created. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const reply: ExperimentCasesReply = { cases: await getExperiments().cases(experimentId) };
    return Response.json(reply);
  });
}
