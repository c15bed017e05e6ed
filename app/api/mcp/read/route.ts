import { readMcpConfigRequest } from '#lib/api/mcp.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Reads the server configuration of another host, and adds nothing. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { text } = await readBody(request, readMcpConfigRequest);
    return Response.json(await getMcpServers().read(text));
  });
}
