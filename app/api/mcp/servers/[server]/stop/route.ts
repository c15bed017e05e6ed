import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Ends the process that was started with `start`; runs keep their own. */
export function POST(request: Request, { params }: { params: Promise<{ server: string }> }) {
  return handle(
    request,
    async () => {
      const { server } = await params;
      await getMcpServers().stop(server);
      return Response.json(await getMcpServers().get(server));
    },
    { body: 'none' },
  );
}
