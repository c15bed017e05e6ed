import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests whose responses are not complete: one that nobody holds any more would not pass on that its client is gone. */
const answering = new Set<Request>();

/**
 * A Node request as the Request that a route handler receives, with the same URL, headers and body. Its signal aborts when
 * the client disconnects before its response is complete.
 */
export function webRequest(incoming: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  const { method, url = '/', rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal: gone.signal };
  if (Number(headers.get('content-length') ?? 0) > 0) {
    init.body = bodyOf(incoming, gone);
    init.duplex = 'half';
  }
  const request = new Request(`http://${headers.get('host')}${url}`, init);
  answering.add(request);
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
    answering.delete(request);
  });
  return request;
}

/** Reads from the socket only as fast as the handler reads the body. It fails only when the client disconnects. */
function bodyOf(incoming: IncomingMessage, gone: AbortController): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch {
        gone.abort();
        controller.error(gone.signal.reason);
      }
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
