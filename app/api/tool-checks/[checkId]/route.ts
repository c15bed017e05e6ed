import { getToolChecks } from '#lib/app/current-tool-checks.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ checkId: string }> };

/** A stored check, with the evidence of every probe. */
export function GET(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getToolChecks().get((await params).checkId)));
}

export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getToolChecks().remove((await params).checkId)));
}
