import type { ShippedSuiteReply } from '#lib/api/suite.ts';
import { getSuites } from '#lib/app/current-suites.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** A suite that ships with Loupe, with its cases. */
export function GET(request: Request, { params }: { params: Promise<{ name: string }> }) {
  return handle(request, async () => {
    const { name: shipped } = await params;
    const { name, hash, cases } = await getSuites().find({ shipped });
    const reply: ShippedSuiteReply = { name, hash, cases };
    return Response.json(reply);
  });
}
