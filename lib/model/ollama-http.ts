import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';

/** How long an idle connection is kept open, in milliseconds. */
const IDLE_MS = 30_000;

const STALE_MS = 1000;

/** How long a response may take to end after its last line, before its connection is closed. */
const ENDING_MS = 1000;

/** Opens connections to one server and keeps them for the next request. */
export interface HttpTransport {
  readonly agent: HttpAgent;
  /** The server's scheme, host and port, with which the URL of every request begins. */
  readonly origin: string;
  /** Host and port as the `Host` header names them (RFC 9110, 7.2). */
  readonly host: string;
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: string;
  readonly isSecure: boolean;
  readonly connectTimeoutMs: number;
  /**
   * Max time between sending a request on a reused connection and finding that the server had closed it while idle, in
   * milliseconds. A connection that breaks later is a server failure, which must be reported.
   */
  readonly staleMs: number;
  readonly lookup?: LookupFunction;
}

/** One request and its response. */
export interface Exchange {
  /** Resolves once the headers have arrived. @throws {ExchangeError} */
  readonly response: Promise<HttpResponse>;
  /** Closes the connection, unless the response has already been read to its end. */
  close(): void;
}

/**
 * Reads a body once, piece by piece as it arrives, until its end or until `take` returns `false`, which keeps the connection
 * open. It uses a callback because an async iterator costs more than everything else about receiving a small reply.
 *
 * @throws {ExchangeError} and whatever `take` throws
 */
export type Body = (take: (piece: Uint8Array) => boolean) => Promise<void>;

export interface HttpResponse {
  readonly status: number;
  /** The value of a response header, by its lowercase name. */
  header(name: string): string | undefined;
  readonly body: Body;
  /** Lets the rest of the body arrive unread, so that the connection can be used again. */
  skipRest(): void;
}

/** Responses with a status below 200 before the real one: Ollama sends none, proxies one or two. */
const MAX_INTERIM_RESPONSES = 100;

/** A failure of the connection or of the protocol; `cause` is Node's error. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  /** Whether the headers had already arrived. */
  readonly inBody: boolean;

  constructor(cause: unknown, options: { inBody: boolean }) {
    super(errorMessage(cause), { cause });
    this.inBody = options.inBody;
  }

  /** Node's code, such as `ECONNREFUSED` or `HPE_INVALID_CONSTANT`. */
  get code(): string | undefined {
    return errno(this.cause);
  }
}

/** Prepares requests to the server at a URL. Opens no connection by itself. */
export function createHttpTransport(
  url: string,
  options: { connectTimeoutMs: number; staleMs?: number; lookup?: LookupFunction },
): HttpTransport {
  const isSecure = url.startsWith('https:');
  const settings = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings);
  const { host, hostname, port } = new URL(url);
  const server = {
    host,
    origin: /^\w+:\/\/[^/]*/.exec(url)?.[0] ?? url,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
  };
  return { staleMs: STALE_MS, ...options, ...server, isSecure, agent };
}

/**
 * Sends a request, follows no redirect, and has no time limit except for connecting. An idle connection that the
 * server has closed is replaced once: the server restarted, or its own idle time had passed
 * (RFC 9112, 9.3.1).
 */
export function exchange(
  transport: HttpTransport,
  { url, method, body = [] }: { url: string; method: string; body?: readonly Buffer[] },
): Exchange {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  let request: ClientRequest;
  let isClosed = false;
  let arrived: IncomingMessage | undefined;
  let isSkipped = false;
  const length = body.reduce((sum, piece) => sum + piece.length, 0);

  const send = (isRepeated: boolean) => {
    const sentAt = performance.now();
    request = open(transport, { url, method, length, isRepeated });
    request.once('response', (message) => {
      arrived = message;
      resolve({
        status: message.statusCode ?? 0,
        header: (name) => {
          const value = message.headers[name];
          return Array.isArray(value) ? value.join(', ') : value;
        },
        body: (take) => readBody(message, take),
        skipRest: () => {
          isSkipped = true;
          skipRest(message);
        },
      });
    });
    // Without a listener, Node drops the request and emits neither a response nor an error.
    request.once('upgrade', (_message, socket) => {
      socket.destroy();
      reject(new ExchangeError(new Error('it switches to another protocol'), { inBody: false }));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim <= MAX_INTERIM_RESPONSES) return;
      isClosed = true; // not to be repeated
      request.destroy();
      const cause = new Error(`it sends more than ${MAX_INTERIM_RESPONSES} interim responses`);
      reject(new ExchangeError(cause, { inBody: false }));
    });
    request.on('error', (cause: NodeJS.ErrnoException) => {
      const isStale =
        request.reusedSocket && isHangUp(cause) && !arrived && performance.now() - sentAt < transport.staleMs;
      if (isStale && !isRepeated && !isClosed) send(true);
      else reject(new ExchangeError(cause, { inBody: false }));
    });
    for (const piece of body) request.write(piece);
    request.end();
  };
  send(false);

  return {
    response: promise,
    close: () => {
      isClosed = true;
      if (!arrived?.complete && !isSkipped) request.destroy();
    },
  };
}

function open(
  transport: HttpTransport,
  { url, method, length, isRepeated }: { url: string; method: string; length: number; isRepeated: boolean },
): ClientRequest {
  const { isSecure, agent, connectTimeoutMs, lookup, origin, host, hostname, port } = transport;
  // All headers in one list and the URL in parts, because Node takes a third of the time of a request to make them of an
  // object and to parse it.
  const headers = ['host', host, 'content-type', 'application/json', 'accept', 'application/json'];
  if (length > 0) headers.push('content-length', `${length}`);
  const options: RequestOptions = {
    hostname,
    port,
    path: url.slice(origin.length) || '/',
    method,
    headers,
    agent: isRepeated ? false : agent, // without the agent the connection is a new one
    lookup,
  };
  const request = isSecure ? httpsRequest(options) : httpRequest(options);
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    }, connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
  });
  return request;
}

function isHangUp({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function skipRest(message: IncomingMessage): void {
  if (message.complete) return;
  const timer = setTimeout(() => message.destroy(), ENDING_MS).unref();
  message.once('close', () => clearTimeout(timer)).resume();
}

function readBody(message: IncomingMessage, take: (piece: Uint8Array) => boolean): Promise<void> {
  const source = decoded(message);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onPiece = (piece: Buffer) => {
    try {
      if (!take(piece)) onEnd();
    } catch (error) {
      leave();
      reject(error);
    }
  };
  const onEnd = () => {
    leave();
    resolve();
  };
  const onClose = () => reject(new ExchangeError(new Error('closed before its end'), { inBody: true }));
  // The rest of the body then arrives unread, unless the connection is closed.
  const leave = () => source.off('data', onPiece).off('end', onEnd).off('close', onClose);
  // Kept, because a failure after an early end does not matter, but must not become an uncaught exception.
  source.on('error', (cause) => reject(new ExchangeError(cause, { inBody: true })));
  if (source.destroyed) onClose();
  else source.on('data', onPiece).on('end', onEnd).on('close', onClose);
  return promise;
}

/** Decompresses the body: a proxy may compress it without being asked. */
function decoded(message: IncomingMessage) {
  const encoding = message.headers['content-encoding']?.toLowerCase();
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  if (!decoder) return message;
  message.on('error', (error) => decoder.destroy(error));
  return message.pipe(decoder);
}
