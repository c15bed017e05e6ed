import { AppError } from '#lib/errors/app-error.ts';
import { CLIENT_NONCE } from '#lib/handshake/proof.ts';
import { getGate } from '#lib/http/current-gate.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Proves that this server knows the operator token, before the client sends anything. */
export function GET(request: Request) {
  return handle(
    request,
    () => {
      const nonce = new URL(request.url).searchParams.get('nonce') ?? '';
      if (!CLIENT_NONCE.test(nonce)) {
        throw new AppError({
          code: 'invalid_request',
          message: '"nonce" must be 32 random bytes in base64url.',
          hint: 'docs/api.md describes the handshake.',
        });
      }
      return Response.json(getGate().answerChallenge(nonce));
    },
    { access: 'anyone', query: ['nonce'] },
  );
}
