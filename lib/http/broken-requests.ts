import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import { errorResponse } from './handle.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { SLOW_BODY } from './slow-bodies.ts';

/** Limits that the responses name. */
interface RequestLimits {
  headersMs: number;
  headerBytes: number;
  bodyMs: number;
  bodyBytesPerSecond: number;
}

/**
 * Answers requests that Node's parser rejects, such as those that arrive too slowly, with the usual error format.
 * Node's own response has no body.
 */
export function answerBrokenRequests(server: Server, limits: RequestLimits): void {
  const unfinished = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    const responses = unfinished.get(socket) ?? new Set();
    unfinished.set(socket, responses.add(response));
    response.once('close', () => responses.delete(response));
  });
  server.on('clientError', async (cause: Error, socket: Socket) => {
    const isAnswered = [...(unfinished.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (!socket.writable || isAnswered) return socket.destroySoon();
    const reply = errorResponse(problemOf(cause, limits));
    const body = await reply.text();
    const headers = { ...SECURITY_HEADERS, ...Object.fromEntries(reply.headers), connection: 'close' };
    const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
    socket.write(
      `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    socket.destroySoon();
  });
}

function problemOf(cause: Error, limits: RequestLimits): AppError {
  switch (errno(cause)) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError({
        code: 'request_timeout',
        message: 'The headers of the request arrived too slowly.',
        hint: `Send them within ${limits.headersMs / 1000} seconds.`,
      });
    case SLOW_BODY:
      return new AppError({
        code: 'request_timeout',
        message: 'The body of the request arrived too slowly.',
        hint: `Send it within ${limits.bodyMs / 1000} seconds, or a larger one at ${limits.bodyBytesPerSecond / 1024} KB per second or more.`,
      });
    case 'HPE_HEADER_OVERFLOW':
      return new AppError({
        code: 'headers_too_large',
        message: `The address and the headers are larger than ${limits.headerBytes / 1024} KB.`,
        hint: 'Shorten the address, or put the values into a body.',
      });
    default:
      return new AppError({ code: 'invalid_request', message: 'The request is not valid HTTP.' });
  }
}
