import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The models a run can be started with (D10). */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getRunService().models(request.signal)));
}
