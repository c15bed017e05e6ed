import { type ExperimentListReply, experimentRequest } from '#lib/api/experiment.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Creates an experiment, starts it and returns immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const reply = await getExperiments().create(await readBody(request, experimentRequest));
    return Response.json(reply, {
      status: 201,
      headers: { location: `/api/experiments/${reply.experiment.id}` },
    });
  });
}

/** Lists the experiments, newest first. */
export function GET(request: Request) {
  return handle(request, async () => {
    const reply: ExperimentListReply = { experiments: await getExperiments().list() };
    return Response.json(reply);
  });
}
