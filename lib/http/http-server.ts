import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AppError } from '../errors/app-error.ts';
import { factsOfIncoming, type Gate, isRead } from './gate.ts';
import { bodyLimit, errorResponse } from './handle.ts';
import { contentSecurityPolicy, SECURITY_HEADERS } from './security-headers.ts';

/** Answers what the gate let through: Next. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What one connection may take, and how many there may be (threat 15). Times in milliseconds. */
export interface ServerLimits {
  /** Until the headers are complete. */
  headersMs: number;
  /** Until the body is complete. */
  requestMs: number;
  /** How often connections are held to these times. */
  checkEveryMs: number;
  headerBytes: number;
  /** Viewers hold a connection each; beyond this, new connections are closed at once. */
  connections: number;
}

const LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkEveryMs: 1000,
  headerBytes: 16 * 1024,
  connections: 1024,
};

/**
 * The HTTP server in front of Next (docs/decisions/0005): it checks every request before Next sees it, and
 * every handler checks again.
 */
export function createLoupeServer(options: {
  gate: Gate;
  page: PageHandler;
  limits?: Partial<ServerLimits>;
}): Server {
  const limits = { ...LIMITS, ...options.limits };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: limits.headerBytes,
      requireHostHeader: false,
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
  server.on('upgrade', (_, socket) => socket.destroy());
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, page }: { gate: Gate; page: PageHandler },
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  const { pathname, searchParams } = target(request);
  const isApi = pathname === '/api' || pathname.startsWith('/api/');
  try {
    const facts = factsOfIncoming(request);
    gate.checkSource(facts, { page: !isApi });
    checkBody(request, bodyLimit(pathname));
    if (isApi && pathname !== '/api/session') gate.checkOperator(facts);
    if (!isApi && !isRead(facts.method)) {
      throw new AppError({ code: 'method_not_allowed', message: 'Pages are only read.' });
    }
    const ticket = pathname === '/' ? searchParams.get('t') : null;
    if (ticket !== null) return signIn(response, gate.redeem(ticket));
  } catch (error) {
    return sendError(response, error);
  }
  if (!isApi) {
    const policy = contentSecurityPolicy(randomBytes(16).toString('base64'));
    // Next takes the nonce for its own scripts from the policy of the request.
    request.headers['content-security-policy'] = policy;
    response.setHeader('content-security-policy', policy);
  }
  await page(request, response);
}

/** A body has a known length before it is read, and none is larger than what the handlers take. */
function checkBody(request: IncomingMessage, limit: number): void {
  if (request.headers['transfer-encoding'] !== undefined) {
    throw new AppError({
      code: 'length_required',
      message: 'The length of the body must be given.',
      hint: 'Send a Content-Length.',
    });
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    throw new AppError({
      code: 'body_too_large',
      message: `The body is larger than ${limit / 1024} KB.`,
    });
  }
}

/** The one-time link becomes a cookie, and the address loses its ticket. A wrong one leads to the page that explains. */
function signIn(response: ServerResponse, cookie: string | undefined): void {
  if (cookie !== undefined) response.setHeader('set-cookie', cookie);
  response.writeHead(303, {
    location: cookie === undefined ? '/?link=used' : '/',
    'cache-control': 'no-store',
  });
  response.end();
}

async function sendError(response: ServerResponse, error: unknown): Promise<void> {
  const reply = errorResponse(error);
  // What is left of the body is not read: the connection ends with the answer.
  response.writeHead(reply.status, { ...Object.fromEntries(reply.headers), connection: 'close' });
  response.end(await reply.text());
}

/** The path as Next will see it. An address that can be read in two ways gets the strictest checks: those of the API. */
function target(request: IncomingMessage): { pathname: string; searchParams: URLSearchParams } {
  const address = request.url ?? '';
  const strict = { pathname: '/api', searchParams: new URLSearchParams() };
  if (!/^\/(?![/\\])/.test(address)) return strict;
  try {
    const { pathname, searchParams } = new URL(address, 'http://loupe.invalid');
    return { pathname: decodeURIComponent(pathname).toLowerCase(), searchParams };
  } catch {
    return strict;
  }
}
