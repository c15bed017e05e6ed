import { checkRequest } from '#lib/api/model-check.ts';
import { getModelChecks } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Stops the check of a model. An earlier result is kept. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, checkRequest);
    return Response.json({ check: await getModelChecks().stop(model) });
  });
}
