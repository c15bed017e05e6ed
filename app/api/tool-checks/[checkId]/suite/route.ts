import { keepToolCheckRequest } from '#lib/api/tool-check.ts';
import { getToolChecks } from '#lib/app/current-tool-checks.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Stores the requests of a check as a suite. */
export function POST(request: Request, { params }: { params: Promise<{ checkId: string }> }) {
  return handle(request, async () => {
    const { name } = await readBody(request, keepToolCheckRequest);
    const reply = await getToolChecks().keep((await params).checkId, name);
    return Response.json(reply, { status: 201, headers: { location: `/api/suites/${reply.suite.id}` } });
  });
}
