import { type DownloadLinkReply, downloadLinkRequest } from '#lib/api/sign-in.ts';
import { getGate } from '#lib/http/current-gate.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/**
 * Adds a ticket to a download path, because a navigation cannot send the key of a signed-in browser. Scripts need none.
 */
export function POST(request: Request) {
  return handle(request, async (signInId) => {
    const { path } = await readBody(request, downloadLinkRequest);
    const reply: DownloadLinkReply = {
      path: signInId === undefined ? path : getGate().downloads.issue(signInId, path),
    };
    return Response.json(reply);
  });
}
