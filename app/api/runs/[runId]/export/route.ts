import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';
import { runExport } from '#lib/http/run-export.ts';

export const dynamic = 'force-dynamic';

/** A run as a file: to import elsewhere, to report a bug, to play again, or for a collector of traces. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => runExport(request, getRunService().stored, (await params).runId));
}
