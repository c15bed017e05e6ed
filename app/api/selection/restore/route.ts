import { selectionRequest } from '#lib/api/annotate-run.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Restores deleted runs, as long as that is possible. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { runs } = await readBody(request, selectionRequest);
    return Response.json({ restored: await getRunService().organizer.restore(runs) });
  });
}
