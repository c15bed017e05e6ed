import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The models available for runs (D10). */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getRunService().models(request.signal)));
}
