import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { jsonLines } from '#lib/http/json-lines.ts';
import { logInFormat } from '#lib/http/log-format.ts';
import { getRunService } from '#lib/runs/current-service.ts';

export const dynamic = 'force-dynamic';

/** The whole log as JSON Lines, every value in full (E10); with `?format=` in the shape of a session or an exploration. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const runs = getRunService().stored;
    const { config } = await runs.get(runId);
    const { format, pages } = logInFormat(request, config.mode, runs.log(runId));
    const name = format === 'events' ? `loupe-${runId}` : `loupe-${runId}-${format}`;
    return fileResponse(jsonLines(pages), { name: `${name}.jsonl`, type: 'application/x-ndjson' });
  });
}
