import { getMcpServers } from '#lib/app/current-mcp.ts';
import { SIGN_IN_PAGE } from '#lib/events/mcp-names.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ server: string }> };

/** Asks the server where to sign in. The browser comes back to the host that this request was made to. */
export function POST(request: Request, { params }: Context) {
  return handle(
    request,
    async () => {
      const back = `http://${request.headers.get('host')}${SIGN_IN_PAGE}`;
      return Response.json(await getMcpServers().beginSignIn((await params).server, back));
    },
    { body: 'none' },
  );
}

/** Forgets the sign-in. */
export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getMcpServers().signOut((await params).server)));
}
