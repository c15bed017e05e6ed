import { z } from 'zod';
import type { SessionReply, SignedInReply } from '#lib/api/replies.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { getGate } from '#lib/http/current-gate.ts';
import { factsOfRequest } from '#lib/http/gate.ts';
import { handle, readBody } from '#lib/http/handle.ts';
import { signInResponse } from '#lib/http/sign-in-response.ts';

export const dynamic = 'force-dynamic';

const signIn = z.strictObject({ token: z.string().min(1).max(500) });

/** Whether the caller is signed in. With `?t=`, redeems a one-time link, like `/?t=`. */
export function GET(request: Request) {
  const ticket = new URL(request.url).searchParams.get('t');
  if (ticket === null) {
    const reply: SessionReply = { program: 'loupe', signed_in: true };
    return handle(request, () => Response.json(reply));
  }
  return handle(
    request,
    async () => signInResponse(await getGate().redeem(ticket, factsOfRequest(request))),
    {
      access: 'anyone',
      query: ['t'],
    },
  );
}

/** Signs a browser in with a one-time ticket or the operator token. */
export function POST(request: Request) {
  return handle(
    request,
    async () => {
      const { token } = await readBody(request, signIn);
      const signedIn = await getGate().redeem(token, factsOfRequest(request));
      if (signedIn === undefined) {
        throw new AppError({
          code: 'unauthorized',
          message: 'This token is wrong, or its link was used before.',
          hint: 'The token is in the file "token" in the data directory; npm start prints a new link.',
        });
      }
      const reply: SignedInReply = { program: 'loupe', signed_in: true, key: signedIn.key };
      return Response.json(reply, { headers: { 'set-cookie': signedIn.setCookie } });
    },
    { access: 'anyone' },
  );
}
