import { getRunService } from '#lib/app/current-service.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { jsonLines } from '#lib/http/json-lines.ts';
import { logInFormat } from '#lib/http/log-format.ts';
import { EXPORT_PARAMETERS, requestedExport } from '#lib/http/requested-export.ts';

export const dynamic = 'force-dynamic';

/**
 * The full log as JSON Lines, with no values truncated (E10); with `?format=` as a session or exploration log, and with
 * `?redact=1` redacted.
 */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(
    request,
    async () => {
      const { runId } = await params;
      const runs = getRunService().stored;
      const { config } = await runs.get(runId);
      const query = new URL(request.url).searchParams;
      // Redaction reads the log twice, so it is only done on request.
      const isWhole = !query.has('redact') && !query.has('scope');
      const log = isWhole
        ? runs.log(runId)
        : (await requestedExport(request, runs, runId, { redact: false })).pages();
      const { format, pages } = logInFormat(request, config.mode, log);
      const name = format === 'events' ? `loupe-${runId}` : `loupe-${runId}-${format}`;
      return fileResponse(jsonLines(pages), { name: `${name}.jsonl`, type: 'application/x-ndjson' });
    },
    { ...EXPORT_PARAMETERS, query: ['format', ...EXPORT_PARAMETERS.query] },
  );
}
