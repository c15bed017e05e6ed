import { shareRequest } from '#lib/api/share.ts';
import { handle, readBody } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** Creates a link to a run. Its URL is returned only now and never stored. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const body = await readBody(request, shareRequest);
    const reply = await getSharing().create(runId, body);
    return Response.json(reply, { status: 201 });
  });
}
