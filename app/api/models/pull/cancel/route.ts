import { modelRequest } from '#lib/api/model-pull.ts';
import { getModelPulls } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Cancels a pull. Ollama keeps the downloaded parts, and a later pull resumes them. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, modelRequest);
    return Response.json({ pull: await getModelPulls().cancel(model) });
  });
}
