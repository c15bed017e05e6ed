import type { SignInListReply } from '#lib/api/sign-in.ts';
import { getGate } from '#lib/http/current-gate.ts';
import { handle } from '#lib/http/handle.ts';
import { signOut } from '#lib/http/sign-out.ts';

export const dynamic = 'force-dynamic';

/** Signed-in browsers. */
export function GET(request: Request) {
  return handle(request, async (signInId) => {
    const reply: SignInListReply = { sign_ins: await getGate().signIns.list(signInId) };
    return Response.json(reply);
  });
}

/** Signs out all browsers, including the caller's. */
export function DELETE(request: Request) {
  return handle(request, (signInId) => signOut(signInId));
}
