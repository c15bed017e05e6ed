import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRead } from './gate.ts';

/**
 * A Node request as the Request that a route handler receives, with the same URL, headers and body. The body of a GET
 * or HEAD request has no meaning and is left out. Its signal aborts when the client disconnects before its response is
 * complete.
 */
export function webRequest(incoming: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  const { method = 'GET', url = '/', rawHeaders, headers } = incoming;
  const fields: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    fields.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  const hasBody = !isRead(method) && Number(headers['content-length'] ?? 0) > 0;
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: fields,
    ...(hasBody && { body: bodyOf(incoming, gone), duplex: 'half' }),
  });
  // The constructor would derive another signal from a given one and hold it weakly, so it would not outlive
  // the request.
  Object.defineProperty(request, 'signal', { value: gone.signal });
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
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
