import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the prompts and resources of a server. */
export function GET(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(request, async () =>
    Response.json(await getMcpServers().offers((await params).server, request.signal)),
  );
}
