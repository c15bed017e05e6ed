import { networkRequest } from '#lib/api/share.ts';
import { handle, readBody } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** Serves shared runs on another address of this machine too, until Loupe stops or this is undone. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { address } = await readBody(request, networkRequest);
    return Response.json({ reach: await getSharing().openToNetwork(address) });
  });
}

/** Serves shared runs to this machine only. Pages that are open on other machines end. */
export function DELETE(request: Request) {
  return handle(request, async () => Response.json({ reach: await getSharing().closeToNetwork() }));
}
