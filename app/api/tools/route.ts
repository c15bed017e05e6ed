import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the tools that runs can offer, with what each adds to a request. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getRunService().tools()));
}
