import { handle } from '#lib/http/handle.ts';
import { jsonLines } from '#lib/http/json-lines.ts';
import { logInFormat } from '#lib/http/log-format.ts';
import { getRunService } from '#lib/runs/current-service.ts';

export const dynamic = 'force-dynamic';

/** The whole log as JSON Lines, every value in full (E10); with `?format=` in the shape of a session or an exploration. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const service = getRunService();
    const { config } = await service.get(runId);
    const { format, pages } = logInFormat(request, config.mode, service.log(runId));
    const name = format === 'events' ? `loupe-${runId}` : `loupe-${runId}-${format}`;
    return new Response(jsonLines(pages), {
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="${name}.jsonl"`,
      },
    });
  });
}
