import { handle } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** Revokes a link: open pages end immediately, later requests get 410. */
export function DELETE(request: Request, { params }: { params: Promise<{ shareId: string }> }) {
  return handle(request, async () => {
    const { shareId } = await params;
    return Response.json(await getSharing().revoke(shareId));
  });
}
