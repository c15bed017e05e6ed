import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An MCP server at an address that wants a sign-in, with its authorization server: for tests. */
export interface OauthMcpServer extends AsyncDisposable {
  /** Its address. */
  url: string;
  /** The requests that came, such as `POST /token`. */
  readonly requests: readonly string[];
  /** The access tokens of the calls that were carried out. */
  readonly called: readonly string[];
  /** Invalidates all access tokens, and on request all refresh tokens. */
  expire(options?: { refresh: boolean }): void;
  /** The redirect of a person who grants or denies access. */
  answer(address: string, allowed: boolean): URLSearchParams;
}

/** How the server differs from an ordinary one. */
interface Oddities {
  /** Runs before each token request is answered. Returns the answer to send instead, or `undefined` for the usual one. */
  onToken?: (form: URLSearchParams) => Promise<TokenAnswer | undefined>;
  /** A permission that calls need and that no token has. */
  missingScope?: string;
  /** Runs before a message with a refused token is answered. */
  onRefused?: (method: string) => Promise<void>;
}

interface TokenAnswer {
  status: number;
  body: unknown;
}

/** @param metadata overrides the metadata of the authorization server */
export async function startOauthMcpServer(
  metadata: Readonly<Record<string, unknown>> = {},
  { onToken, missingScope, onRefused }: Oddities = {},
): Promise<OauthMcpServer> {
  const requests: string[] = [];
  const called: string[] = [];
  const codes = new Map<string, URLSearchParams>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let clients = 0;
  let origin = '';

  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    'GET /.well-known/oauth-protected-resource/mcp': async (_, response) =>
      json(response, { resource: origin, authorization_servers: [origin] }),
    'GET /.well-known/oauth-authorization-server': async (_, response) =>
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...metadata,
      }),
    'POST /register': async (request, response) =>
      json(response, { ...JSON.parse(await text(request)), client_id: `loupe-client-${++clients}` }, 201),
    'GET /authorize': async (request, response) => {
      const asked = new URL(request.url ?? '', origin).searchParams;
      const link = (allowed: boolean) => `${asked.get('redirect_uri')}?${back(asked, allowed)}`;
      response.setHeader('content-type', 'text/html');
      response.end(
        `<title>Tracker</title><h1>Allow Loupe?</h1><a href="${link(true)}">Allow</a> <a href="${link(false)}">Deny</a>`,
      );
    },
    'POST /token': async (request, response) => {
      const form = new URLSearchParams(await text(request));
      const answer = await onToken?.(form);
      if (answer) return json(response, answer.body, answer.status);
      // Compared letter by letter, as services do.
      if (form.get('resource') !== origin) return json(response, { error: 'invalid_target' }, 400);
      const granted =
        form.get('grant_type') === 'refresh_token'
          ? refresh.delete(form.get('refresh_token') ?? '')
          : isProven(codes.get(form.get('code') ?? ''), form);
      codes.delete(form.get('code') ?? '');
      if (!granted) return json(response, { error: 'invalid_grant' }, 400);
      const token = `access-${randomBytes(12).toString('hex')}`;
      const next = `refresh-${randomBytes(12).toString('hex')}`;
      access.add(token);
      refresh.add(next);
      return json(response, {
        access_token: token,
        token_type: 'Bearer',
        refresh_token: next,
        expires_in: 3600,
      });
    },
    'POST /mcp': async (request, response) => {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const message = JSON.parse(await text(request));
      if (!access.has(token)) {
        await onRefused?.(message.method);
        const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
        response.setHeader('www-authenticate', `Bearer resource_metadata="${metadataUrl}"`);
        return json(response, { error: 'invalid_token' }, 401);
      }
      if (missingScope !== undefined && message.method === 'tools/call') {
        const challenge = `Bearer error="insufficient_scope", scope="${missingScope}"`;
        response.setHeader('www-authenticate', challenge);
        return json(response, { error: 'insufficient_scope' }, 403);
      }
      return answerMessage(message, response, (result) => {
        called.push(token);
        return { content: [{ type: 'text', text: `${result} with ${token}` }] };
      });
    },
  };

  function back(asked: URLSearchParams, allowed: boolean): URLSearchParams {
    const state = asked.get('state') ?? '';
    if (!allowed) return new URLSearchParams({ state, error: 'access_denied' });
    const code = randomBytes(12).toString('hex');
    codes.set(code, asked);
    return new URLSearchParams({ state, code });
  }

  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    requests.push(route);
    const handler = routes[route] ?? (async () => json(response, {}, 404));
    handler(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    requests,
    called,
    expire({ refresh: also } = { refresh: false }) {
      access.clear();
      if (also) refresh.clear();
    },
    answer: (address, allowed) => back(new URL(address).searchParams, allowed),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether the code was issued to the client that requests the token (RFC 7636). */
function isProven(asked: URLSearchParams | undefined, form: URLSearchParams): boolean {
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  return asked !== undefined && asked.get('code_challenge') === challenge;
}

/** The few messages of a server with one tool. */
function answerMessage(
  message: { id?: number; method: string; params?: { protocolVersion?: string } },
  response: ServerResponse,
  call: (word: string) => object,
): void {
  if (message.id === undefined) return void response.writeHead(202).end();
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: message.params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'tracker', version: '1.0.0' },
    }),
    'tools/list': () => ({
      tools: [
        { name: 'find', description: 'Finds issues.', inputSchema: { type: 'object', properties: {} } },
      ],
    }),
    'tools/call': () => call('Found'),
  };
  const result = results[message.method]?.();
  json(response, {
    jsonrpc: '2.0',
    id: message.id,
    ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }),
  });
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
