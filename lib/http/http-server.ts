import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AppError } from '../errors/app-error.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import { factsOfIncoming, type Gate, isRead } from './gate.ts';
import { bodyLimit, bodyTooLarge, errorResponse, noSuchEndpoint } from './handle.ts';
import { limitIdleConnections } from './idle-connections.ts';
import { contentSecurityPolicy, SECURITY_HEADERS } from './security-headers.ts';
import { signInResponse } from './sign-in-response.ts';
import { endSlowBodies } from './slow-bodies.ts';
import type { StaticFiles } from './static-files.ts';

/** Handles requests that passed the gate: Next. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Limits per connection and on connections (threat 15). Times in milliseconds. */
export interface ServerLimits {
  /** Time until the headers are complete. */
  headersMs: number;
  /** Time until the body is complete, extended by each received byte at `bodyBytesPerSecond`. */
  bodyMs: number;
  /** The minimum speed of a large body: a run file can take minutes over a slow connection. */
  bodyBytesPerSecond: number;
  /** How often the timeouts are checked. */
  checkEveryMs: number;
  headerBytes: number;
  /** Each viewer holds a connection; beyond this, new connections are closed immediately. */
  connections: number;
  /** Connections per address without a request in progress; beyond this, the oldest is closed. */
  idlePerAddress: number;
}

/** Public paths for signing in; their handlers decide what to answer. */
const OPEN_PATHS = ['/api/session', '/api/handshake'];

const LIMITS: ServerLimits = {
  headersMs: 10_000,
  bodyMs: 30_000,
  bodyBytesPerSecond: 8 * 1024,
  checkEveryMs: 1000,
  headerBytes: 16 * 1024,
  connections: 1024,
  // Half of all connections: a client that opens hundreds of streams counts as idle on each until its request is read.
  idlePerAddress: 512,
};

/**
 * The HTTP server in front of Next (docs/decisions/0005). It checks every request before Next sees it, and every handler
 * checks again.
 */
export function createLoupeServer(options: {
  gate: Gate;
  page: PageHandler;
  /** Answers before `page`; absent in tests that need no files. */
  staticFiles?: StaticFiles;
  limits?: Partial<ServerLimits>;
}): Server {
  const limits = { ...LIMITS, ...options.limits };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: 0, // endSlowBodies
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: limits.headerBytes,
      requireHostHeader: false,
      // Java's HttpClient offers HTTP/2 this way, and accepts a response in HTTP/1.1. Node before 24.9
      // ignores this option.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() !== 'h2c',
    },
    (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        console.error('A request failed:', error);
        if (response.headersSent) response.destroy();
        else void sendError(response, error);
      });
    },
  );
  server.maxConnections = limits.connections;
  limitIdleConnections(server, limits.idlePerAddress);
  endSlowBodies(server, limits);
  answerBrokenRequests(server, limits);
  server.on('upgrade', (_, socket) => socket.destroy());
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, page, staticFiles }: { gate: Gate; page: PageHandler; staticFiles?: StaticFiles },
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  const { path, pathname, searchParams, isMalformed } = target(request);
  const isApi = pathname === '/api' || pathname.startsWith('/api/');
  try {
    const facts = factsOfIncoming(request);
    gate.checkSource(facts, { page: !isApi });
    checkBody(request, pathname);
    if (isApi && !OPEN_PATHS.includes(pathname)) await gate.checkOperator(facts);
    if (isMalformed) throw malformedAddress();
    if (!isApi && !isRead(facts.method)) {
      response.setHeader('allow', 'GET, HEAD');
      throw new AppError({ code: 'method_not_allowed', message: 'Pages only accept GET and HEAD.' });
    }
    // Next has neither a page nor a route there, because its paths are case-sensitive.
    if (isApi && !path.startsWith('/api/')) throw noSuchEndpoint(facts.method, path);
    const ticket = pathname === '/' ? searchParams.get('t') : null;
    if (ticket !== null) return await send(response, signInResponse(await gate.redeem(ticket, facts)));
  } catch (error) {
    return sendError(response, error);
  }
  if (!isApi) {
    const policy = contentSecurityPolicy(randomBytes(16).toString('base64'));
    // Next reads the nonce for its own scripts from this request header.
    request.headers['content-security-policy'] = policy;
    response.setHeader('content-security-policy', policy);
    // Next answers an unsatisfiable range with status 500. Ranges are optional, and every file here is small.
    delete request.headers.range;
    if (await staticFiles?.answer(request, response)) return;
  }
  await page(request, response);
}

/** Rejects a body without a known length, or larger than the handlers accept. */
function checkBody(request: IncomingMessage, pathname: string): void {
  if (request.headers['transfer-encoding'] !== undefined) {
    throw new AppError({
      code: 'length_required',
      message: 'The body must have a known length.',
      hint: 'Send a Content-Length.',
    });
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit(pathname)) throw bodyTooLarge(pathname);
}

function malformedAddress(): AppError {
  return new AppError({
    code: 'invalid_request',
    message: 'The address is malformed.',
    hint: 'Encode special characters in it, such as % as %25.',
  });
}

async function send(response: ServerResponse, reply: Response): Promise<void> {
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.end(await reply.text());
}

async function sendError(response: ServerResponse, error: unknown): Promise<void> {
  const reply = errorResponse(error);
  // The rest of the body is not read, so the connection is closed.
  response.writeHead(reply.status, { ...Object.fromEntries(reply.headers), connection: 'close' });
  response.end(await reply.text());
}

/**
 * The path, and as `pathname` its form for checks: decoded, in lower case. An ambiguous URL gets the strictest checks,
 * those of the API, and is then refused.
 */
function target(request: IncomingMessage): {
  path: string;
  pathname: string;
  searchParams: URLSearchParams;
  isMalformed?: true;
} {
  const address = request.url ?? '';
  const strict = {
    path: '/api',
    pathname: '/api',
    searchParams: new URLSearchParams(),
    isMalformed: true,
  } as const;
  if (!/^\/(?![/\\])/.test(address)) return strict;
  try {
    const { pathname, searchParams } = new URL(address, 'http://loupe.invalid');
    return { path: pathname, pathname: decodeURIComponent(pathname).toLowerCase(), searchParams };
  } catch {
    return strict;
  }
}
