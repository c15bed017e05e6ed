import { annotateSelectionRequest } from '#lib/api/annotate-run.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Tags, pins or archives runs, all or none of them. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { runs: ids, ...change } = await readBody(request, annotateSelectionRequest);
    const runs = await getRunService().organizer.annotate(ids, change);
    return Response.json({ runs });
  });
}
