import { tryCommandToolRequest } from '#lib/api/command-tool.ts';
import { getCommandTools } from '#lib/app/current-command-tools.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Runs a custom tool in an empty folder. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { tool, arguments: args } = await readBody(request, tryCommandToolRequest);
    return Response.json(await getCommandTools().try(tool, args, request.signal));
  });
}
