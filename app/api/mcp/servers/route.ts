import { addMcpServerRequest } from '#lib/api/mcp.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the servers with their state and their tools. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getMcpServers().list()));
}

/** Adds a server; does not start it. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { name, server } = await readBody(request, addMcpServerRequest);
    return Response.json(await getMcpServers().add(name, server), {
      status: 201,
      headers: { location: `/api/mcp/servers/${name}` },
    });
  });
}
