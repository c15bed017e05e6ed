import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setRunService } from '../app/current-service.ts';
import { listen } from '../testing/listen.ts';
import { openTestService, scripted, type TestService } from '../testing/test-service.ts';
import { setGate } from './current-gate.ts';
import { factsOfRequest } from './gate.ts';
import { createLoupeServer } from './http-server.ts';
import { testGate } from './test-gate.ts';

// All route handlers, found in app/api, so that new ones are covered automatically.
const api = resolve(import.meta.dirname, '../../app/api');
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Endpoints that work without a token, for signing in. */
const OPEN = ['POST /api/session', 'GET /api/handshake'];

/** All paths that are no endpoint: what is sent there is not read. */
const UNKNOWN = '/api/any';

const token = 'operator-token-0123456789abcdef';
const host = '127.0.0.1:4120';

interface Route {
  name: string;
  path: string;
  method: string;
  handler: (
    request: Request,
    context: { params: Promise<Record<string, string | string[]>> },
  ) => Promise<Response>;
}

const files = readdirSync(api, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /^route\.(ts|tsx|js)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

const routes: Route[] = [];
for (const file of files) {
  const module: Record<string, unknown> = await import(file);
  const path = `/api/${relative(api, file).replace(/\/?route\.\w+$/, '')}`.replace(/\[[^\]]+\]/g, 'any');
  for (const [method, handler] of Object.entries(module)) {
    if (!METHODS.includes(method)) continue;
    if (typeof handler !== 'function') throw new TypeError(`${method} of ${file} is no function`);
    routes.push({
      name: `${method} ${path}`,
      path,
      method,
      handler: (request, context) => handler(request, context),
    });
  }
}

let test: TestService;
/** The cookie of a signed-in browser, which every port of the host receives. */
let cookie = '';
beforeAll(async () => {
  test = await openTestService(scripted([]));
  setRunService(test.service);
});
// A new gate for each test, because it counts wrong tokens.
beforeEach(async () => {
  const gate = testGate({ token, port: 4120 });
  setGate(gate);
  const signedIn = await gate.redeem(token, factsOfRequest(new Request(`http://${host}/`)));
  cookie = signedIn?.setCookie.split(';')[0] ?? '';
});
afterAll(() => test.dispose());

async function answer(
  route: Route,
  headers: Record<string, string>,
  { query = '', body: sent = '{}' } = {},
): Promise<[number, string]> {
  const reads = route.method === 'GET' || route.method === 'HEAD';
  const request = new Request(`http://${host}${route.path}${query}`, {
    method: route.method,
    body: reads ? undefined : sent,
    headers: { host, 'content-type': 'application/json', ...headers },
  });
  const params = Promise.resolve({
    runId: 'any',
    signInId: 'any',
    presetId: 'any',
    suiteId: 'any',
    seq: '1',
    path: ['any'],
  });
  const response = await route.handler(request, { params });
  const body = z
    .object({ error: z.object({ code: z.string() }) })
    .safeParse(await response.json().catch(() => null));
  return [response.status, body.data?.error.code ?? ''];
}

const bearer = { authorization: `Bearer ${token}` };
const own = { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };

describe('threats 7 to 9: every handler checks independently of the server in front of it', () => {
  it('finds the handlers', () => {
    expect(routes.length).toBeGreaterThanOrEqual(12);
    expect(routes.map(({ name }) => name)).toContain('POST /api/runs');
  });

  it.each(routes.map((route) => [route.name, route] as const))('%s', async (name, route) => {
    const withoutToken = OPEN.includes(name) ? [400, 'invalid_request'] : [401, 'unauthorized'];
    expect(await answer(route, own)).toEqual(withoutToken);
    expect(await answer(route, { ...own, authorization: `Bearer ${token}x` })).toEqual(withoutToken);
    for (const wrong of ['evil.example', `${host}, ${host}`, '127.0.0.1:4121']) {
      expect(await answer(route, { ...bearer, host: wrong })).toEqual([403, 'foreign_host']);
    }
    for (const origin of ['http://evil.example', 'null', 'http://localhost:4120']) {
      expect(await answer(route, { ...bearer, origin })).toEqual([403, 'foreign_origin']);
    }
    for (const site of ['cross-site', 'same-site']) {
      expect(await answer(route, { ...bearer, 'sec-fetch-site': site })).toEqual([403, 'foreign_origin']);
    }
    if (!OPEN.includes(name)) expect(await answer(route, { ...own, cookie })).toEqual([401, 'sign_in_again']);
    if (route.method === 'GET') return;
    expect(await answer(route, { cookie: 'loupe_4120=x' })).toEqual([403, 'foreign_origin']);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      expect(await answer(route, { ...bearer, 'content-type': type })).toEqual(
        route.path === UNKNOWN ? [404, 'not_found'] : [415, 'unsupported_media_type'],
      );
    }
  });
});

describe('a parameter that a path does not have is refused, like an unknown field', () => {
  it.each(routes.filter(({ path }) => path !== UNKNOWN).map((route) => [route.name, route] as const))(
    '%s',
    async (_, route) => {
      const type = route.path === '/api/import' ? 'application/x-ndjson' : 'application/json';
      const headers = { ...bearer, 'content-type': type };
      expect(await answer(route, headers, { query: '?misspelled=1' })).toEqual([400, 'invalid_request']);
    },
  );

  it('but a path that does not exist is not found', async () => {
    for (const route of routes.filter(({ path }) => path === UNKNOWN)) {
      expect(await answer(route, bearer, { query: '?misspelled=1' })).toEqual([404, 'not_found']);
    }
  });
});

it.each(
  routes
    .filter(({ path, method }) => method !== 'GET' && ![UNKNOWN, '/api/import'].includes(path))
    .map((route) => [route.name, route] as const),
)('a field that %s does not have is refused, also where it has none', async (_, route) => {
  expect(await answer(route, bearer, { body: '{"misspelled":1}' })).toEqual([400, 'invalid_request']);
});

it('the server in front requires the token before it forwards a request [threat 9]', async () => {
  const gate = testGate({ token, port: undefined });
  const passed: string[] = [];
  const server = createLoupeServer({
    gate,
    page: async (request, response) => {
      passed.push(`${request.method} ${request.url}`);
      response.end();
    },
  });
  const port = await listen(server);
  gate.listensOn(port);
  const base = `http://127.0.0.1:${port}`;
  try {
    for (const { name, path, method } of routes) {
      const reply = await fetch(`${base}${path}`, { method, headers: { origin: base } });
      if (!OPEN.includes(name) && path !== '/api/session') expect([name, reply.status]).toEqual([name, 401]);
      await reply.body?.cancel();
    }
    expect([...new Set(passed)].filter((line) => !/ \/api\/(session|handshake)$/.test(line))).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
