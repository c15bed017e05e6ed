import { type CheckProgressReply, checkRequest } from '#lib/api/model-check.ts';
import { getModelChecks } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The check that is under way, or the last one since the start. */
export function GET(request: Request) {
  return handle(request, () => {
    const reply: CheckProgressReply = { check: getModelChecks().current() };
    return Response.json(reply);
  });
}

/** Begins to check a model. Answers at once; it takes its turn among the runs. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, checkRequest);
    return Response.json({ check: getModelChecks().start(model) }, { status: 202 });
  });
}
