import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Starts the server, again if it runs, so that its tools are known; answers before it is ready. */
export function POST(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(request, async () => Response.json(await getMcpServers().start((await params).server)), {
    body: 'none',
  });
}
