import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Gate } from '../http/gate.ts';
import { createLoupeServer } from './http-server.ts';

const token = 'operator-token-0123456789abcdef';
const gate = new Gate({ token, hostnames: [], port: undefined });
let server: Server;
let port: number;
let seen: string[] = [];

beforeAll(async () => {
  server = createLoupeServer({
    gate,
    page: async (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.setHeader(
        'x-nonce',
        /'nonce-([^']+)'/.exec(String(request.headers['content-security-policy']))?.[1] ?? '',
      );
      response.end('page');
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  gate.listensOn(port);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
});

/** Sends bytes as they are and brings what comes back until the connection ends. */
async function raw(head: string[], body = ''): Promise<{ status: number; text: string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await once(socket, 'close');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

const get = (path: string, ...headers: string[]) =>
  raw([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers]);
const bearer = `Authorization: Bearer ${token}`;

describe('before Next sees a request', () => {
  it('lets pages through with a policy of their own each, and headers that hold the browser to it', async () => {
    const first = await get('/runs/abc');
    const second = await get('/runs/abc');
    expect(seen).toEqual(['GET /runs/abc', 'GET /runs/abc']);
    const nonceOf = (text: string) => /x-nonce: (.+)\r/i.exec(text)?.[1] ?? '';
    expect(first.text).toContain(`'nonce-${nonceOf(first.text)}'`);
    expect(nonceOf(first.text)).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(nonceOf(second.text)).not.toBe(nonceOf(first.text));
    for (const header of [
      'x-content-type-options: nosniff',
      'x-frame-options: DENY',
      'referrer-policy: no-referrer',
    ]) {
      expect(first.text.toLowerCase()).toContain(header.toLowerCase());
    }
    expect(first.text.toLowerCase()).not.toContain('access-control-');
  });

  it.each([
    ['a foreign host', ['Host: evil.example']],
    ['another port', ['Host: 127.0.0.1:1']],
    ['two hosts', [`Host: 127.0.0.1:PORT`, 'Host: evil.example']],
    ['the same host twice', [`Host: 127.0.0.1:PORT`, `Host: 127.0.0.1:PORT`]],
    ['no host', []],
  ])('D17: refuses %s, also for pages', async (_, hosts) => {
    const lines = hosts.map((line) => line.replace('PORT', String(port)));
    const { status } = await raw(['GET / HTTP/1.1', ...lines, bearer, 'Connection: close']);
    expect(status).toBe(403);
    expect(seen).toEqual([]);
  });

  it.each([
    '/api/runs',
    '/api/health',
    '/api',
    '/api/stream?list=1',
    '/API/runs',
    '/api%2Fruns',
    '/%61pi/runs',
    '//api/runs',
    '/\\api/runs',
  ])('asks for the token at %s', async (path) => {
    expect((await get(path)).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it('asks for the token at addresses that can be read in two ways', async () => {
    const { status } = await raw([
      `GET http://127.0.0.1:${port}/api/runs HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Connection: close',
    ]);
    expect(status).toBe(401);
    expect((await get('/%E0%A4%A')).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it('lets the operator through, by token and by cookie', async () => {
    expect((await get('/api/runs', bearer)).status).toBe(200);
    const [cookie] = gate.redeem(token)?.split(';') ?? [];
    expect((await get('/api/runs', `Cookie: ${cookie}`)).status).toBe(200);
    expect(seen).toHaveLength(2);
  });

  it('refuses changes of pages, foreign origins, large bodies, bodies without a length and upgrades', async () => {
    const post = (path: string, ...headers: string[]) =>
      raw([`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers]);
    expect((await post('/', bearer, 'Content-Length: 0')).status).toBe(405);
    expect((await post('/api/runs', bearer, 'Origin: http://evil.example', 'Content-Length: 0')).status).toBe(
      403,
    );
    expect((await post('/api/runs', bearer, 'Content-Length: 1048577')).status).toBe(413);
    expect((await post('/api/runs', bearer, 'Transfer-Encoding: chunked')).status).toBe(411);
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'];
    expect(await raw(['GET /api/stream HTTP/1.1', `Host: 127.0.0.1:${port}`, bearer, ...upgrade])).toEqual({
      status: 0,
      text: '',
    });
    expect(seen).toEqual([]);
  });

  it('ignores what a proxy might say about the host', async () => {
    const forwarded = ['X-Forwarded-Host: 127.0.0.1', `Forwarded: host=127.0.0.1:${port}`];
    const { status } = await raw(['GET / HTTP/1.1', 'Host: evil.example', ...forwarded, 'Connection: close']);
    expect(status).toBe(403);
  });

  it('exchanges the one-time link for a cookie and an address without the ticket', async () => {
    const ticket = gate.newTicket();
    const { status, text } = await get(`/?t=${ticket}`);
    expect(status).toBe(303);
    expect(text).toMatch(/location: \/\r/i);
    expect(text).toMatch(/set-cookie: loupe_\d+=.+HttpOnly; SameSite=Strict/i);
    const again = await get(`/?t=${ticket}`);
    expect(again.text).toMatch(/location: \/\?link=used\r/i);
    expect(again.text).not.toMatch(/set-cookie/i);
    expect(seen).toEqual([]);
  });

  it('answers errors as JSON with what to do next', async () => {
    const { text } = await get('/api/runs');
    const body = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    expect(body).toEqual({
      error: {
        code: 'unauthorized',
        message: expect.any(String),
        hint: expect.stringContaining('npm start'),
      },
    });
  });
});
