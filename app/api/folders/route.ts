import { getFolders } from '#lib/app/current-folders.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** Lists the subfolders of a folder, to choose a workspace: names only. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const query = new URL(request.url).searchParams;
      const hidden = oneOf(query, 'hidden', ['0', '1']) === '1';
      return Response.json(await getFolders().browse(query.get('path') || undefined, { hidden }));
    },
    { query: ['path', 'hidden'] },
  );
}
