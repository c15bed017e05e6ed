import { shareRequest } from '#lib/api/share.ts';
import { handle, readBody } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** Previews a link with these settings, with the findings. Creates nothing. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const body = await readBody(request, shareRequest);
    return Response.json(await getSharing().preview(runId, body));
  });
}
