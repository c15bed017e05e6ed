import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listen } from '../testing/listen.ts';
import { ApiRoutes } from './api-routes.ts';

/** What a test's stream does, called by its route file. */
const hooks: { pulled: number; cancelled: number; aborted: number; fail?: () => void } = {
  pulled: 0,
  cancelled: 0,
  aborted: 0,
};
Object.assign(globalThis, { loupeTestRoutes: hooks });

const FILES = {
  'echo/route.ts': `export async function POST(request) {
    return Response.json({ url: request.url, type: request.headers.get('content-type'), body: await request.text() }, { status: 201 });
  }
  export async function GET(request) {
    const headers = new Headers([['set-cookie', 'a=1'], ['set-cookie', 'b=2'], ['x-own', 'yes']]);
    return new Response(request.headers.get('x-asked'), { headers });
  }`,
  'runs/[runId]/route.ts': `export const GET = async (_, { params }) => Response.json({ run: await params });`,
  'runs/[runId]/events/[seq]/route.ts': `export const GET = async (_, { params }) => Response.json({ event: await params });`,
  'runs/new/route.ts': `export const GET = async () => Response.json({ own: true });`,
  'empty/route.ts': `export const GET = async () => new Response(null, { status: 204 });`,
  'throws/route.ts': `export const GET = async () => { throw new Error('a bug'); };`,
  'upload/route.ts': `const hooks = globalThis.loupeTestRoutes;
  export async function POST(request) {
    hooks.pulled += 1;
    await request.text().catch((error) => { hooks.aborted += error === request.signal.reason ? 1 : 100; });
    return new Response('too late');
  }`,
  'stream/route.ts': `const hooks = globalThis.loupeTestRoutes;
  export function GET(request) {
    request.signal.addEventListener('abort', () => { hooks.aborted += 1; });
    const body = new ReadableStream({
      start(controller) { hooks.fail = () => controller.error(new Error('The viewer stopped reading.')); },
      pull(controller) { hooks.pulled += 1; controller.enqueue(new Uint8Array(64 * 1024)); },
      cancel() { hooks.cancelled += 1; },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }`,
  '[...path]/route.ts': `export const GET = async () => Response.json({ rest: true });`,
};

const folder = mkdtempSync(join(tmpdir(), 'loupe-routes-'));
let server: Server;
let port: number;
let routes: ApiRoutes;
beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  routes = new ApiRoutes(folder);
  const handler = routes.before(async (_, response) => void response.writeHead(200).end('next'));
  server = createServer((incoming, response) => {
    handler(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  port = await listen(server);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => Object.assign(hooks, { pulled: 0, cancelled: 0, aborted: 0 }));

async function ask(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  sent.end(body);
  const [reply]: IncomingMessage[] = await once(sent, 'response');
  if (!reply) throw new Error('no response');
  let text = '';
  for await (const chunk of reply.setEncoding('utf8')) text += chunk;
  return { status: reply.statusCode, headers: reply.headers, text };
}

it.each([
  ['/api/runs/run-1', '{"run":{"runId":"run-1"}}'],
  ['/api/runs/run-1?after=3', '{"run":{"runId":"run-1"}}'],
  ['/api/runs/run-1/events/7', '{"event":{"runId":"run-1","seq":"7"}}'],
  ['/api/runs/new', '{"own":true}'],
  ['/api/runs/a%20b%2Fc%C3%A4', '{"run":{"runId":"a b/cä"}}'],
  ['/api/runs/a:b,c@d', '{"run":{"runId":"a:b,c@d"}}'],
])('calls the handler of %s', async (path, expected) => {
  expect(await ask('GET', path)).toMatchObject({ status: 200, text: expected });
});

it.each([
  ['GET', '/'],
  ['GET', '/runs/run-1'],
  ['GET', '/api'],
  ['GET', '/api/runs'],
  ['GET', '/api/other/path'],
  ['GET', '/api/runs/run-1/'],
  ['GET', '/api//runs/run-1'],
  ['GET', '/api/runs/..'],
  ['GET', '/api/runs/../echo'],
  ['GET', '/api/%72uns/run-1'],
  ['GET', '/api/runs/%2e%2e'],
  ['GET', '/api/runs/%2E'],
  ['GET', '/api/runs/%'],
  ['GET', '/api/runs/%E0%A4%A'],
  ['GET', '/api/runs/%C3'],
  ['GET', '/api/runs/a\\b'],
  ['GET', '/API/runs/run-1'],
  ['GET', 'http://127.0.0.1/api/runs/run-1'],
  ['HEAD', '/api/runs/..'],
  ['OPTIONS', '/api/runs/run-1'],
])('leaves %s %s to Next', async (method, path) => {
  const { text, status } = await ask(method, path);
  expect([status, text]).toEqual([200, method === 'HEAD' ? '' : 'next']);
});

it.each([
  ['POST', '/api/runs/run-1'],
  ['DELETE', '/api/runs/run-1'],
  ['POST', '/api/runs/a%20b'],
  ['TRACE', '/api/runs/run-1'],
  ['PROPFIND', '/api/runs/run-1'],
])('answers %s %s in words, because the path accepts only GET', async (method, path) => {
  const { status, headers, text } = await ask(method, path);
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(JSON.parse(text).error).toMatchObject({
    code: 'method_not_allowed',
    message: 'This path only accepts GET.',
  });
});

it.each([
  ['TRACE', '/api/other/path?x=1'],
  ['PROPFIND', '/api/runs/'],
])('answers %s %s itself, because Next knows no such method', async (method, path) => {
  const { status, text } = await ask(method, path);
  const message = `No such endpoint: ${method} ${path.split('?')[0]}.`;
  expect([status, JSON.parse(text).error]).toMatchObject([404, { code: 'not_found', message }]);
});

it('leaves other methods of pages to the server', async () => {
  expect(await ask('PROPFIND', '/runs/run-1')).toMatchObject({ status: 200, text: 'next' });
});

it('passes on URL, headers and body, and the status of the response', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '7' };
  const { status, text } = await ask('POST', '/api/echo?x=1&y=%20', headers, '{"a":1}');
  expect(status).toBe(201);
  expect(JSON.parse(text)).toEqual({
    url: `http://127.0.0.1:${port}/api/echo?x=1&y=%20`,
    type: 'application/json',
    body: '{"a":1}',
  });
});

it('passes on a large body in full', async () => {
  const body = 'ä'.repeat(400_000);
  const headers = { 'content-length': `${Buffer.byteLength(body)}` };
  const { text } = await ask('POST', '/api/echo', headers, body);
  expect(JSON.parse(text)).toMatchObject({ body });
});

it('sends every header, and each cookie on its own', async () => {
  const { headers, text } = await ask('GET', '/api/echo', { 'x-asked': 'this' });
  expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-own': 'yes' });
  expect(text).toBe('this');
});

it('answers without a body', async () => {
  expect(await ask('GET', '/api/empty')).toMatchObject({ status: 204, text: '' });
});

it('answers HEAD with the status and headers of GET, and cancels the body', async () => {
  const { status, headers, text } = await ask('HEAD', '/api/stream');
  expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', '']);
  expect([hooks.cancelled, hooks.aborted]).toEqual([1, 0]);
});

it('answers HEAD with what a path accepts instead of GET', async () => {
  const { status, headers, text } = await ask('HEAD', '/api/upload');
  expect([status, headers.allow, text]).toEqual([405, 'OPTIONS, POST', '']);
});

it('ignores the body of a GET', async () => {
  const { status, text } = await ask('GET', '/api/runs/run-1', { 'content-length': '2' }, '{}');
  expect([status, text]).toEqual([200, '{"run":{"runId":"run-1"}}']);
});

it('reports a handler that throws to the server', async () => {
  expect(await ask('GET', '/api/throws')).toMatchObject({ status: 500, text: 'Error: a bug' });
});

/** A client that reads nothing until told to. */
async function pausedClient() {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** Resolves once the count has stopped growing for some turns of the event loop. */
async function settled(count: () => number): Promise<number> {
  for (let quiet = 0, last = count(); quiet < 50; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (count() !== last) quiet = 0;
    last = count();
  }
  return count();
}

it('reads a body only as fast as the client takes it', async () => {
  const socket = await pausedClient();
  const before = await settled(() => hooks.pulled);
  expect(before).toBeLessThan(400); // what fits the buffers of the sockets
  socket.resume();
  await expect.poll(() => hooks.pulled).toBeGreaterThan(before + 100);
  socket.destroy();
  await expect.poll(() => hooks.aborted).toBe(1);
});

it('cancels the body and aborts the request when the client disconnects', async () => {
  const socket = await pausedClient();
  await settled(() => hooks.pulled);
  socket.destroy();
  await expect.poll(() => [hooks.cancelled, hooks.aborted]).toEqual([1, 1]);
});

it('disconnects a client that stopped reading when the body fails', async () => {
  const socket = await pausedClient();
  await settled(() => hooks.pulled);
  hooks.fail?.();
  socket.resume();
  await once(socket, 'close');
  await expect.poll(() => hooks.aborted).toBe(1);
});

it('loads a route file before its first request, and refuses a path without one', async () => {
  await routes.load(['/api/echo', '/api/runs/any/events/any']);
  await expect(routes.load(['/api/nothing'])).rejects.toThrow('No route file for /api/nothing');
});

it('fails the body with the reason of the signal when the client disconnects while it sends', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100\r\n\r\nhalf`);
  await expect.poll(() => hooks.pulled).toBe(1);
  socket.destroy();
  await expect.poll(() => hooks.aborted).toBe(1);
});
