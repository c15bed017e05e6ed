import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';
import { selectionExport } from '#lib/http/selection-export.ts';

export const dynamic = 'force-dynamic';

/** The run files of many runs in one zip file. */
export function GET(request: Request) {
  return handle(request, () => selectionExport(request, getRunService().stored), { query: ['runs'] });
}
