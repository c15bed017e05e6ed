import { handle } from '#lib/http/handle.ts';
import { getSharing } from '#lib/sharing/listener/current-sharing.ts';

export const dynamic = 'force-dynamic';

/** Lists all links to runs, newest first, with their addresses. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getSharing().list()));
}
