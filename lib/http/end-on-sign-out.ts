/** Ends an event stream when its browser is signed out; other responses are returned unchanged. */
export function endOnSignOut(
  response: Response,
  watch: () => { signal: AbortSignal; release: () => void },
): Response {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response;
  const { signal, release } = watch();
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => {
        controller.error(signal.reason);
        void reader.cancel(signal.reason);
      });
      // The stream itself detects a viewer that stopped reading, even while nothing is pulled.
      reader.closed.then(release, (error: unknown) => {
        release();
        controller.error(error);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { headers: response.headers });
}
