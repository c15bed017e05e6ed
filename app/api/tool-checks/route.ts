import { toolCheckRequest } from '#lib/api/tool-check.ts';
import { getToolChecks } from '#lib/app/current-tool-checks.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The current check of tools, and the stored ones. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getToolChecks().list()));
}

/** Queues a check among the runs and returns immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const asked = await readBody(request, toolCheckRequest);
    return Response.json({ check: await getToolChecks().start(asked) }, { status: 202 });
  });
}
