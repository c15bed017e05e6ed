import type { SessionLinkReply } from '#lib/api/replies.ts';
import { getGate } from '#lib/http/current-gate.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Creates a one-time link, for another browser or a second `npm start`. */
export function POST(request: Request) {
  return handle(
    request,
    () => {
      const host = request.headers.get('host') ?? '';
      const reply: SessionLinkReply = { url: `http://${host}/?t=${getGate().newTicket()}` };
      return Response.json(reply);
    },
    { body: 'none' },
  );
}
