import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Whether runs can work here: Ollama and, with `?model=`, the model (S1, S2), sandbox, store (D11). */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const model = new URL(request.url).searchParams.get('model') ?? undefined;
      return Response.json(await getRunService().health(model, request.signal));
    },
    { query: ['model'] },
  );
}
