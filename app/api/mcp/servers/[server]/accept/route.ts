import { acceptMcpToolsRequest } from '#lib/api/mcp.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lets runs use tools of the server, as they were shown. */
export function POST(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(request, async () => {
    const { tools } = await readBody(request, acceptMcpToolsRequest);
    return Response.json(await getMcpServers().accept((await params).server, tools));
  });
}
