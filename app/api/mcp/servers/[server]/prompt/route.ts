import { getMcpPromptRequest } from '#lib/api/mcp-offers.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Reads a prompt of a server with arguments. */
export function POST(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(request, async () => {
    const { prompt, arguments: args } = await readBody(request, getMcpPromptRequest);
    return Response.json(await getMcpServers().prompt((await params).server, prompt, args, request.signal));
  });
}
