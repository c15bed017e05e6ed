import { getRunService } from '#lib/app/current-service.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { EXPORT_PARAMETERS, requestedExport } from '#lib/http/requested-export.ts';
import { markdownExport } from '#lib/sharing/exports/markdown-export.ts';

export const dynamic = 'force-dynamic';

/** Exports the run as a Markdown summary, redacted unless `?redact=0`. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(
    request,
    async () => {
      const { runId } = await params;
      const log = await requestedExport(request, getRunService().stored, runId);
      return fileResponse(await markdownExport(log), { name: `loupe-${runId}.md`, type: 'text/markdown' });
    },
    EXPORT_PARAMETERS,
  );
}
