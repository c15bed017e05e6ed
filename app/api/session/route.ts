import { z } from 'zod';
import type { SessionReply } from '#lib/api/replies.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { getGate } from '#lib/http/current-gate.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

const signIn = z.strictObject({ token: z.string().min(1).max(500) });

/** Tells whether the asker is signed in. With `?t=` it is the one-time link, as `/?t=` is under `npm start`. */
export function GET(request: Request) {
  const ticket = new URL(request.url).searchParams.get('t');
  if (ticket === null) {
    const reply: SessionReply = { program: 'loupe', signed_in: true };
    return handle(request, () => Response.json(reply));
  }
  return handle(request, () => signedIn(getGate().redeem(ticket)), { access: 'anyone' });
}

function signedIn(cookie: string | undefined): Response {
  const headers = new Headers({ location: cookie === undefined ? '/?link=used' : '/' });
  if (cookie !== undefined) headers.set('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

/** Signs a browser in with a one-time ticket or the operator token, typed or pasted. */
export function POST(request: Request) {
  return handle(
    request,
    async () => {
      const { token } = await readBody(request, signIn);
      const cookie = getGate().redeem(token);
      if (cookie === undefined) {
        throw new AppError({
          code: 'unauthorized',
          message: 'This token is wrong, or its link was used before.',
          hint: 'The token stands in the file "token" of the data directory; npm start prints a new link.',
        });
      }
      const reply: SessionReply = { program: 'loupe', signed_in: true };
      return Response.json(reply, { headers: { 'set-cookie': cookie } });
    },
    { access: 'anyone' },
  );
}
