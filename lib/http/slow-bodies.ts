import type { IncomingMessage, Server } from 'node:http';

/** The code of the error for a body that arrives too slowly. */
export const SLOW_BODY = 'LOUPE_SLOW_BODY';

/**
 * Ends requests whose body arrives too slowly, as in a Slowloris attack. Node's own limit, `requestTimeout`, would also
 * end the upload of a large file over a slow connection. Here each byte that arrives after the headers extends the
 * time.
 *
 * @param limits.bodyMs time for a body, extended by what has arrived
 * @param limits.bodyBytesPerSecond the speed at which the rest must arrive
 */
export function endSlowBodies(
  server: Server,
  limits: { bodyMs: number; bodyBytesPerSecond: number; checkEveryMs: number },
): void {
  const arriving = new Map<IncomingMessage, { since: number; bytesBefore: number }>();
  server.on('request', (request) => {
    if (request.complete || Number(request.headers['content-length'] ?? 0) === 0) return;
    arriving.set(request, { since: performance.now(), bytesBefore: request.socket.bytesRead });
  });
  const check = () => {
    for (const [request, { since, bytesBefore }] of arriving) {
      const { socket } = request;
      const arrived = socket.bytesRead - bytesBefore;
      const allowedMs = limits.bodyMs + (arrived / limits.bodyBytesPerSecond) * 1000;
      const isLate = !request.complete && performance.now() - since > allowedMs;
      if (request.complete || socket.destroyed || isLate) arriving.delete(request);
      if (isLate) {
        const error = Object.assign(new Error('The body arrived too slowly.'), { code: SLOW_BODY });
        server.emit('clientError', error, socket);
      }
    }
  };
  const timer = setInterval(check, limits.checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}
