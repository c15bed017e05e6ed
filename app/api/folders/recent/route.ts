import { getFolders } from '#lib/app/current-folders.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the folders of earlier runs. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getFolders().recent()));
}
