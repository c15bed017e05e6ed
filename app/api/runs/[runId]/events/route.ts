import { getRunService } from '#lib/app/current-service.ts';
import { cursorOf, eventStreamResponse } from '#lib/http/event-stream.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Streams a run: the logged events after `Last-Event-ID`, then live ones until the run ends (D4, D5). */
export function GET(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(
    request,
    async () => {
      const { runId } = await params;
      const afterSeq = cursorOf(request);
      const feed = await getRunService().follow({
        topics: new Map([[runId, afterSeq]]),
        texts: true,
        signal: request.signal,
      });
      // 204 tells an EventSource not to reconnect.
      if (feed.done) {
        feed.close();
        return new Response(null, { status: 204 });
      }
      return eventStreamResponse(feed, { eventId: ({ seq }) => `${seq}` });
    },
    { query: ['after'] },
  );
}
