import type { FacetsReply } from '#lib/api/facets.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The tags, folders and models of the runs that are not archived, with how many runs have each. */
export function GET(request: Request) {
  return handle(request, async () => {
    const reply: FacetsReply = await getRunService().stored.facets();
    return Response.json(reply);
  });
}
