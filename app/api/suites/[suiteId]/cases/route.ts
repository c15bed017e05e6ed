import { addCaseRequest } from '#lib/api/suite.ts';
import { getSuites } from '#lib/app/current-suites.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Adds a run's task as a case. */
export function POST(request: Request, { params }: { params: Promise<{ suiteId: string }> }) {
  return handle(request, async () => {
    const body = await readBody(request, addCaseRequest);
    return Response.json(await getSuites().addCase((await params).suiteId, body), { status: 201 });
  });
}
