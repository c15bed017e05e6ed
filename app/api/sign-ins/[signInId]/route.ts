import { handle } from '#lib/http/handle.ts';
import { signOut } from '#lib/http/sign-out.ts';

export const dynamic = 'force-dynamic';

/** Signs one browser out. */
export function DELETE(request: Request, { params }: { params: Promise<{ signInId: string }> }) {
  return handle(request, async (signInId) => signOut(signInId, (await params).signInId));
}
