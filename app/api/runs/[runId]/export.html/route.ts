import { getRunService } from '#lib/app/current-service.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { EXPORT_PARAMETERS, requestedExport } from '#lib/http/requested-export.ts';
import { htmlExport } from '#lib/sharing/exports/html-export.ts';
import { playerAssets } from '#lib/sharing/player/assets.ts';

export const dynamic = 'force-dynamic';

/**
 * Exports the run as an HTML page with a player, redacted unless `?redact=0`. The page works offline and makes no
 * requests.
 */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(
    request,
    async () => {
      const { runId } = await params;
      const { stored } = getRunService();
      const log = await requestedExport(request, stored, runId);
      const page = htmlExport(log, playerAssets(), stored.images(runId, log.images));
      return fileResponse(page, { name: `loupe-${runId}.html`, type: 'text/html' });
    },
    EXPORT_PARAMETERS,
  );
}
