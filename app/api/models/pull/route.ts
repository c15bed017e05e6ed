import { modelRequest } from '#lib/api/model-pull.ts';
import { getModelPulls } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The models that are being fetched, and those that were since the start. */
export function GET(request: Request) {
  return handle(request, () => Response.json({ pulls: getModelPulls().list() }));
}

/** Has Ollama fetch a model from its library. Answers at once; the list tells how far it is. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, modelRequest);
    return Response.json({ pull: getModelPulls().start(model) }, { status: 202 });
  });
}
