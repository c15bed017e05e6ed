import { toolCheckRequest } from '#lib/api/tool-check.ts';
import { getToolChecks } from '#lib/app/current-tool-checks.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Stops a check of tools. Earlier results are kept. */
export function POST(request: Request) {
  return handle(request, async () => {
    const asked = await readBody(request, toolCheckRequest);
    return Response.json({ check: await getToolChecks().stop(asked) });
  });
}
