import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';
import { EXPORT_PARAMETERS } from '#lib/http/requested-export.ts';
import { runExport } from '#lib/http/run-export.ts';

export const dynamic = 'force-dynamic';

/** Exports a run: to import elsewhere, report a bug, replay it, or send it to a trace collector. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => runExport(request, getRunService().stored, (await params).runId), {
    ...EXPORT_PARAMETERS,
    query: ['format', 'content', ...EXPORT_PARAMETERS.query],
  });
}
