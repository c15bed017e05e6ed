import { updateSuiteRequest } from '#lib/api/suite.ts';
import { getSuites } from '#lib/app/current-suites.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ suiteId: string }> };

/** A suite with its cases, of the current version or of `?version=HASH`. */
export function GET(request: Request, { params }: Context) {
  return handle(
    request,
    async () => {
      const version = new URL(request.url).searchParams.get('version') ?? undefined;
      return Response.json(await getSuites().get((await params).suiteId, version));
    },
    { query: ['version'] },
  );
}

/** Replaces its content. */
export function PUT(request: Request, { params }: Context) {
  return handle(request, async () => {
    const body = await readBody(request, updateSuiteRequest);
    return Response.json(await getSuites().update((await params).suiteId, body));
  });
}

export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getSuites().delete((await params).suiteId)));
}
