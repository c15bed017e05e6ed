import { saveCommandToolRequest } from '#lib/api/command-tool.ts';
import { getCommandTools } from '#lib/app/current-command-tools.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the custom tools. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getCommandTools().list()));
}

/** Adds a custom tool, or replaces one. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { tool, ...change } = await readBody(request, saveCommandToolRequest);
    return Response.json(await getCommandTools().save(tool, change), {
      status: change.replaces === undefined ? 201 : 200,
    });
  });
}
