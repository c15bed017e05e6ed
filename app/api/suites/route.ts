import { createSuiteRequest } from '#lib/api/suite.ts';
import { getSuites } from '#lib/app/current-suites.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the suites by name, and those that ship with Loupe. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getSuites().list()));
}

/** Stores a new suite: from the text of a file, as JSON, or one that ships with Loupe. */
export function POST(request: Request) {
  return handle(request, async () => {
    const body = await readBody(request, createSuiteRequest);
    const reply = await getSuites().create(body);
    return Response.json(reply, {
      status: 201,
      headers: { location: `/api/suites/${reply.suite.id}` },
    });
  });
}
