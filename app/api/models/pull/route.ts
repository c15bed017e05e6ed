import { modelRequest } from '#lib/api/model-pull.ts';
import { getModelPulls } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Current pulls and those since the server started. */
export function GET(request: Request) {
  return handle(request, () => Response.json({ pulls: getModelPulls().list() }));
}

/** Starts a pull from Ollama's library and returns immediately; the list shows its progress. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model } = await readBody(request, modelRequest);
    return Response.json({ pull: getModelPulls().start(model) }, { status: 202 });
  });
}
