import type { CompareReply } from '#lib/api/comparison.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Compares two runs step by step: where they agree and where they diverge. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const query = new URL(request.url).searchParams;
      const from = wholeNumber(request, 'from', { min: 1, max: Number.MAX_SAFE_INTEGER });
      const reply: CompareReply = await getRunService().stored.compare(runId(query, 'a'), runId(query, 'b'), {
        from,
        signal: request.signal,
      });
      return Response.json(reply);
    },
    { query: ['a', 'b', 'from'] },
  );
}

function runId(query: URLSearchParams, name: 'a' | 'b'): string {
  const id = query.get(name);
  if (id) return id;
  throw new AppError({ code: 'invalid_request', message: 'Two runs are required: ?a=ID&b=ID.' });
}
