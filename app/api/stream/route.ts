import { STREAM_HEARTBEAT_MS } from '#lib/api/stream.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { eventStreamResponse, topicsOf } from '#lib/http/event-stream.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** One stream for everything a browser follows: runs, each from a sequence number, and the run list with `list=1`. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const feed = await getRunService().follow({
        topics: topicsOf(request),
        list: oneOf(new URL(request.url).searchParams, 'list', ['0', '1']) === '1',
        texts: true,
        signal: request.signal,
      });
      return eventStreamResponse(feed, {
        eventId: ({ run_id, seq }) => `${run_id}:${seq}`,
        heartbeatMs: STREAM_HEARTBEAT_MS,
      });
    },
    { query: ['runs', 'list'] },
  );
}
