import { messageRequest } from '#lib/api/create-run.ts';
import { decodeImage } from '#lib/api/image.ts';
import type { MessageReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, idempotencyKey, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/**
 * Sends a message to a run. It is stored immediately and delivered at the next boundary, or returned if the run ends
 * first. With an idempotency key a repeated request does not send it again.
 */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const { text, images = [] } = await readBody(request, messageRequest);
    const { run, message, created } = await getRunService().message(runId, text, {
      images: images.map(decodeImage),
      idempotencyKey: idempotencyKey(request),
    });
    const { id, status } = message;
    const reply: MessageReply = { run, message: { id, text: message.text, status } };
    return Response.json(reply, { status: created ? 202 : 200 });
  });
}
