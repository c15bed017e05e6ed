import type { CheckHistoryReply } from '#lib/api/model-check.ts';
import { getModelChecks } from '#lib/app/current-models.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The figures of finished checks of all models, for plots over time. */
export function GET(request: Request) {
  return handle(request, async () => {
    const reply: CheckHistoryReply = { checks: await getModelChecks().history() };
    return Response.json(reply);
  });
}
