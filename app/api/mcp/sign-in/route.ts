import { finishMcpSignInRequest } from '#lib/api/mcp.ts';
import { getMcpServers } from '#lib/app/current-mcp.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Completes a sign-in at an MCP server with what the browser came back with. */
export function POST(request: Request) {
  return handle(request, async () => {
    const answer = await readBody(request, finishMcpSignInRequest);
    return Response.json(await getMcpServers().finishSignIn(answer));
  });
}
