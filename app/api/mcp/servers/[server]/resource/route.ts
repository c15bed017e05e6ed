import { readMcpResourceRequest } from '#lib/api/mcp-offers.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Reads a resource of a server. */
export function POST(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(request, async () => {
    const { uri } = await readBody(request, readMcpResourceRequest);
    return Response.json(await getMcpServers().resource((await params).server, uri, request.signal));
  });
}
