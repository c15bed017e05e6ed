import { htmlExport } from '#lib/exports/html-export.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { requestedExport } from '#lib/http/requested-export.ts';
import { playerAssets } from '#lib/player/assets.ts';
import { getRunService } from '#lib/runs/current-service.ts';

export const dynamic = 'force-dynamic';

/** The run as one page with a player, masked unless `?redact=0`: opens from a disk and asks nobody for anything. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const log = await requestedExport(request, getRunService().stored, runId);
    return fileResponse(htmlExport(log, playerAssets()), { name: `loupe-${runId}.html`, type: 'text/html' });
  });
}
