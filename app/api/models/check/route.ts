import { type CheckProgressReply, checkRequest } from '#lib/api/model-check.ts';
import { getModelChecks } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The current check, or the last one since the server started. */
export function GET(request: Request) {
  return handle(request, () => {
    const reply: CheckProgressReply = { check: getModelChecks().current() };
    return Response.json(reply);
  });
}

/** Queues a check of a model among the runs and returns immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, checkRequest);
    return Response.json({ check: getModelChecks().start(model) }, { status: 202 });
  });
}
