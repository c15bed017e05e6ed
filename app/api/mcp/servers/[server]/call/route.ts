import { callMcpToolRequest } from '#lib/api/mcp.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Calls a tool for a person who tries it out; a failed call is a result. */
export function POST(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(request, async () => {
    const { tool, arguments: args } = await readBody(request, callMcpToolRequest);
    return Response.json(await getMcpServers().call((await params).server, tool, args, request.signal));
  });
}
