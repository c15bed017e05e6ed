import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle, pathNumber } from '#lib/http/handle.ts';
import { valueAt } from '#lib/util/value-at.ts';

export const dynamic = 'force-dynamic';

/** One full event, or one of its texts as a file (`?text=result.output.content`). */
export function GET(request: Request, { params }: { params: Promise<{ runId: string; seq: string }> }) {
  return handle(
    request,
    async () => {
      const { runId, seq } = await params;
      const event = await getRunService().stored.event(runId, pathNumber(seq, 'event_not_found'));
      const path = new URL(request.url).searchParams.get('text');
      return path === null
        ? Response.json(event)
        : textFile(valueAt(event, path), `loupe-${runId}-${seq}.txt`);
    },
    { query: ['text'] },
  );
}

function textFile(value: unknown, name: string): Response {
  if (value === undefined) {
    throw new AppError({ code: 'not_found', message: 'The event has no value at this path.' });
  }
  return fileResponse(typeof value === 'string' ? value : JSON.stringify(value, null, 2), {
    name,
    type: 'text/plain',
  });
}
