import { updateMcpServerRequest } from '#lib/api/mcp.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ server: string }> };

export function GET(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getMcpServers().get((await params).server)));
}

/** Changes its configuration. */
export function POST(request: Request, { params }: Context) {
  return handle(request, async () => {
    const { server, base, enabled = false } = await readBody(request, updateMcpServerRequest);
    const { server: name } = await params;
    const servers = getMcpServers();
    return Response.json(
      await (server ? servers.update(name, server, base) : servers.setEnabled(name, enabled)),
    );
  });
}

export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getMcpServers().remove((await params).server)));
}
