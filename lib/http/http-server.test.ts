import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gate } from './gate.ts';
import { createLoupeServer, type ServerLimits } from './http-server.ts';

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

describe('threat 15: what one connection may take', () => {
  /** A server of its own, with small limits. */
  async function serve(limits: Partial<ServerLimits>, work: (port: number, gate: Gate) => Promise<void>) {
    const ownGate = new Gate({ token, hostnames: [], port: undefined });
    const own = createLoupeServer({
      gate: ownGate,
      page: async (request, response) => {
        for await (const _ of request); // a handler reads its body
        response.end('page');
      },
      limits,
    });
    own.listen(0, '127.0.0.1');
    await once(own, 'listening');
    const ownPort = (own.address() as AddressInfo).port;
    ownGate.listensOn(ownPort);
    try {
      await work(ownPort, ownGate);
    } finally {
      own.closeAllConnections();
      own.close();
    }
  }

  /** Opens a connection and brings what it was sent when the server has closed it. */
  async function closedBy(ownPort: number, write: (socket: Socket) => void): Promise<string> {
    const socket = connect(ownPort, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined); // the server may close it before all is written
    write(socket);
    await once(socket, 'close');
    return text;
  }

  /** What was written after the server had closed can make the kernel drop its last words: then nothing was read. */
  const TIMED_OUT = /^(HTTP\/1\.1 408 |$)/;

  it('closes a connection whose headers never come to an end', async () => {
    await serve({ headersMs: 100, requestMs: 60_000, checkEveryMs: 20 }, async (ownPort) => {
      const text = await closedBy(ownPort, (socket) => {
        socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n`);
        const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      });
      expect(text).toMatch(TIMED_OUT);
    });
  });

  it('closes a connection whose body never comes to an end', async () => {
    await serve({ headersMs: 150, requestMs: 150, checkEveryMs: 20 }, async (ownPort) => {
      const text = await closedBy(ownPort, (socket) => {
        socket.write(
          `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n${bearer}\r\nContent-Length: 1000\r\n\r\n`,
        );
        const drip = setInterval(() => socket.write(' '), 20);
        socket.on('close', () => clearInterval(drip));
      });
      expect(text).toMatch(TIMED_OUT);
    });
  });

  it('refuses headers over 16 KB', async () => {
    const { status } = await get('/', `X-Large: ${'x'.repeat(17 * 1024)}`);
    expect(status).toBe(431);
    expect(seen).toEqual([]);
  });

  it('closes connections over the limit, and serves again when others are gone', async () => {
    await serve({ connections: 2 }, async (ownPort) => {
      const held = [connect(ownPort, '127.0.0.1'), connect(ownPort, '127.0.0.1')];
      await Promise.all(held.map((socket) => once(socket, 'connect')));
      await Promise.all(held.map((socket) => answered(socket, ownPort)));
      expect(await closedBy(ownPort, () => undefined)).toBe('');
      for (const socket of held) socket.destroy();
      await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${ownPort}/`)).status).toBe(200), {
        timeout: 5000,
      });
    });
  });

  async function answered(socket: Socket, ownPort: number): Promise<void> {
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n\r\n`);
    await once(socket, 'data');
  }

  it('threat 8: after ten wrong tokens there is only "wait", with the time to wait', async () => {
    await serve({}, async (ownPort) => {
      const ask = (guess: string) =>
        fetch(`http://127.0.0.1:${ownPort}/api/runs`, { headers: { authorization: `Bearer ${guess}` } });
      for (let guess = 0; guess < 10; guess++) expect((await ask(`guess-${guess}`)).status).toBe(401);
      const answer = await ask(token);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
    });
  });
});

it('threat 15: holds a slow client to ten seconds and a body to thirty', () => {
  expect(server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    maxConnections: 1024,
  });
});
