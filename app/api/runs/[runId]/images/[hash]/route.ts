import { getRunService } from '#lib/app/current-service.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** An image of a run, with a fixed type that its bytes have. It is never a page of this server. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string; hash: string }> }) {
  return handle(request, async () => {
    const { runId, hash } = await params;
    const { type, data } = await getRunService().stored.image(runId, hash);
    return new Response(new Uint8Array(data), {
      headers: {
        'content-type': `image/${type}`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      },
    });
  });
}
