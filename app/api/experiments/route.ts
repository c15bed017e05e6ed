import { type ExperimentListReply, experimentRequest } from '#lib/api/experiment.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { handle, idempotencyKey, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Creates an experiment, starts it and returns immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const body = await readBody(request, experimentRequest);
    const { created, ...reply } = await getExperiments().create(body, {
      idempotencyKey: idempotencyKey(request),
    });
    return Response.json(reply, {
      status: created ? 201 : 200,
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
