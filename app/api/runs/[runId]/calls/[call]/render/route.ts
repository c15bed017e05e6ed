import { getRunService } from '#lib/app/current-service.ts';
import { handle, pathNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Renders the prompt that Ollama builds from a call's request. Loads the model (OL5). */
export function POST(request: Request, { params }: { params: Promise<{ runId: string; call: string }> }) {
  return handle(
    request,
    async () => {
      const { runId, call } = await params;
      const number = pathNumber(call, 'call_not_found');
      return Response.json(await getRunService().render(runId, number, request.signal));
    },
    { body: 'none' },
  );
}
