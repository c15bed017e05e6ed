import { modelRequest } from '#lib/api/model-pull.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Unloads a model from memory (OL9). */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, modelRequest);
    await getRunService().unload(model, request.signal);
    return Response.json({ model, loaded: false });
  });
}
