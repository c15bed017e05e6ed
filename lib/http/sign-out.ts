import type { SignOutReply } from '../api/sign-in.ts';
import { AppError } from '../errors/app-error.ts';
import { getGate } from './current-gate.ts';

/**
 * Signs out one browser, or all. A browser that signs itself out also loses its cookie.
 *
 * @throws {AppError} `sign_in_not_found`
 */
export async function signOut(current: string | undefined, id?: string): Promise<Response> {
  const gate = getGate();
  const reply: SignOutReply = { signed_out: await gate.signIns.signOut(id === undefined ? undefined : [id]) };
  if (id !== undefined && reply.signed_out.length === 0) {
    throw new AppError({
      code: 'sign_in_not_found',
      message: 'No such browser is signed in.',
      hint: 'GET /api/sign-ins lists signed-in browsers.',
    });
  }
  const headers = new Headers();
  if (current !== undefined && reply.signed_out.includes(current)) {
    headers.set('set-cookie', gate.clearedCookie);
  }
  return Response.json(reply, { headers });
}
