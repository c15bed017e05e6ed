import { handle } from '#lib/http/handle.ts';
import { jsonLines } from '#lib/http/json-lines.ts';
import { getRunService } from '#lib/runs/current-service.ts';

export const dynamic = 'force-dynamic';

/** The whole log as JSON Lines, every value in full (E10). */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const service = getRunService();
    await service.get(runId);
    return new Response(jsonLines(service.log(runId)), {
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="loupe-${runId}.jsonl"`,
      },
    });
  });
}
