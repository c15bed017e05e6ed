import { HEARTBEAT_MS } from './event-stream.ts';

const encoder = new TextEncoder();

/**
 * Sends the updates of one operation as server-sent events without names or IDs, each a JSON object, then closes the
 * stream.
 *
 * @param work sends updates until it resolves; its signal aborts when the client is gone. It must not reject
 * @param signal the signal of the request
 */
export function updateStreamResponse<Update extends object>(
  work: (send: (update: Update) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Response {
  const gone = new AbortController();
  const within = AbortSignal.any([signal, gone.signal]);
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (text: string) => {
        if (!within.aborted) controller.enqueue(encoder.encode(text));
      };
      const heart = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
      // Not awaited: a stream can be cancelled only after its start.
      void work((update) => write(`data: ${JSON.stringify(update)}\n\n`), within).finally(() => {
        clearInterval(heart);
        if (!gone.signal.aborted) controller.close();
      });
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
