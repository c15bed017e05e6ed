import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../testing/listen.ts';
import type { Gate } from './gate.ts';
import { createLoupeServer, type ServerLimits } from './http-server.ts';
import { testGate } from './test-gate.ts';

const token = 'operator-token-0123456789abcdef';
const gate = testGate({ token, port: undefined });
let server: Server;
let port: number;
let seen: string[] = [];

beforeAll(async () => {
  server = createLoupeServer({
    gate,
    page: async (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === '/fails-late') response.write('half a page');
      if (request.url?.startsWith('/fails')) throw new Error('a bug');
      response.setHeader(
        'x-nonce',
        /'nonce-([^']+)'/.exec(String(request.headers['content-security-policy']))?.[1] ?? '',
      );
      response.end('page');
    },
  });
  port = await listen(server);
  gate.listensOn(port);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
});

/** Sends raw bytes and returns the response once the connection is closed. */
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

/** The error in the text of a response. */
function errorIn(text: string): unknown {
  const { error } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
    error: unknown;
  };
  return error;
}

describe('before Next sees a request', () => {
  it('serves each page with its own content security policy and security headers', async () => {
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

  it('sends the security headers with the API, too', async () => {
    for (const headers of [[bearer], []]) {
      const { text } = await get('/api/health', ...headers);
      expect(text.toLowerCase()).toContain('x-content-type-options: nosniff');
      expect(text.toLowerCase()).toContain('cross-origin-resource-policy: same-origin');
    }
  });

  it.each([
    ['a foreign host', ['Host: evil.example']],
    ['another port', ['Host: 127.0.0.1:1']],
    ['two hosts', [`Host: 127.0.0.1:PORT`, 'Host: evil.example']],
    ['the same host twice', [`Host: 127.0.0.1:PORT`, `Host: 127.0.0.1:PORT`]],
    ['no host', []],
  ])('refuses %s, also for pages [D17]', async (_, hosts) => {
    const lines = hosts.map((line) => line.replace('PORT', String(port)));
    const { status } = await raw(['GET / HTTP/1.1', ...lines, bearer, 'Connection: close']);
    expect(status).toBe(403);
    expect(seen).toEqual([]);
  });

  it('lets other sites link to pages, but not to the API', async () => {
    const link = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Dest: document'];
    expect((await get('/runs/abc', ...link)).status).toBe(200);
    expect((await get('/api/runs', bearer, ...link)).status).toBe(403);
    expect(seen).toEqual(['GET /runs/abc']);
  });

  it('answers a request whose page fails with an error, or closes its connection, and goes on', async () => {
    using errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect((await get('/fails')).status).toBe(500);
    expect((await get('/fails-late')).text).not.toContain('0\r\n\r\n');
    expect(errors).toHaveBeenCalledWith('A request failed:', new Error('a bug'));
    expect((await get('/')).status).toBe(200);
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
  ])('requires the token at %s', async (path) => {
    expect((await get(path)).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it.each(['/api', '/api?x=1', '/API/runs', '/%61pi/runs', '/api%2Fruns'])(
    'answers %s with the error for unknown paths of the API',
    async (path) => {
      const { status, text } = await get(path, bearer);
      expect(status).toBe(404);
      expect(errorIn(text)).toEqual({
        code: 'not_found',
        message: `No such endpoint: GET ${path.replace(/\?.*/, '')}.`,
        hint: 'docs/api.md lists the paths, which begin with /api/ and are case-sensitive.',
      });
      expect(seen).toEqual([]);
    },
  );

  it('requires the token at ambiguous URLs', async () => {
    const { status } = await raw([
      `GET http://127.0.0.1:${port}/api/runs HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Connection: close',
    ]);
    expect(status).toBe(401);
    expect((await get('/%E0%A4%A')).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it('accepts the operator by token, or by the cookie and key of a browser', async () => {
    expect((await get('/api/runs', bearer)).status).toBe(200);
    const { text } = await get(`/?t=${gate.newTicket()}`);
    const cookie = `Cookie: ${/set-cookie: ([^;]+)/i.exec(text)?.[1]}`;
    const key = `X-Loupe-Key: ${/'loupe.key', "([^"]+)"/.exec(text)?.[1]}`;
    expect((await get('/api/runs', cookie, key)).status).toBe(200);
    expect(seen).toHaveLength(2);
    for (const path of ['/api/runs', '/api/stream?list=1']) {
      expect((await get(path, cookie)).status).toBe(401);
      expect((await get(path, key)).status).toBe(401);
    }
    expect(seen).toHaveLength(2);
  });

  it('refuses writes to pages, foreign origins, large bodies, bodies without a length and upgrades', async () => {
    const post = (path: string, ...headers: string[]) =>
      raw([`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers]);
    const page = await post('/', bearer, 'Content-Length: 0');
    expect([page.status, /^allow: (.+)\r$/im.exec(page.text)?.[1]]).toEqual([405, 'GET, HEAD']);
    expect((await post('/api/runs', bearer, 'Origin: http://evil.example', 'Content-Length: 0')).status).toBe(
      403,
    );
    expect((await post('/api/experiments', bearer, 'Content-Length: 1048577')).status).toBe(413);
    expect((await post('/api/runs', bearer, 'Transfer-Encoding: chunked')).status).toBe(411);
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'];
    expect(await raw(['GET /api/stream HTTP/1.1', `Host: 127.0.0.1:${port}`, bearer, ...upgrade])).toEqual({
      status: 0,
      text: '',
    });
    expect(seen).toEqual([]);
  });

  it('answers a client that offers HTTP/2 in HTTP/1.1', async () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB'];
    const { status, text } = await raw([
      'GET /api/runs HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      bearer,
      ...offer,
      'Connection: close',
    ]);
    expect([status, text.includes('page')]).toEqual([200, true]);
    expect((await raw(['GET /api/runs HTTP/1.1', `Host: 127.0.0.1:${port}`, ...offer])).status).toBe(401);
  });

  it('ignores forwarded host headers', async () => {
    const forwarded = ['X-Forwarded-Host: 127.0.0.1', `Forwarded: host=127.0.0.1:${port}`];
    const { status } = await raw(['GET / HTTP/1.1', 'Host: evil.example', ...forwarded, 'Connection: close']);
    expect(status).toBe(403);
  });

  it('exchanges the one-time link for a cookie and a page that stores the key and redirects', async () => {
    const ticket = gate.newTicket();
    const { status, text } = await get(`/?t=${ticket}`);
    expect(status).toBe(200);
    expect(text).toMatch(/set-cookie: loupe_\d+=.+HttpOnly; SameSite=Strict/i);
    expect(text).toMatch(/cache-control: no-store/i);
    const [, nonce = ''] = /script-src 'self' 'nonce-([^']+)'/.exec(text) ?? [];
    expect(text).toContain(`<script nonce="${nonce}">`);
    expect(text).toMatch(/localStorage\.setItem\('loupe\.key', "[\w-]{43}"\);\s+location\.replace\('\/'\)/);
    expect(text).not.toContain(ticket);
    const again = await get(`/?t=${ticket}`);
    expect(again.text).toMatch(/location: \/\?link=used\r/i);
    expect(again.text).not.toMatch(/set-cookie/i);
    expect(seen).toEqual([]);
  });

  it('sends errors as JSON with a hint', async () => {
    const { text } = await get('/api/runs');
    expect(errorIn(text)).toEqual({
      code: 'unauthorized',
      message: expect.any(String),
      hint: expect.stringContaining('npm start'),
    });
  });
});

describe('limits of a connection [threat 15]', () => {
  /** A separate server with small limits. */
  async function serve(limits: Partial<ServerLimits>, work: (port: number, gate: Gate) => Promise<void>) {
    const ownGate = testGate({ token, port: undefined });
    const own = createLoupeServer({
      gate: ownGate,
      page: async (request, response) => {
        for await (const _ of request); // a handler reads its body
        response.end('page');
      },
      limits,
    });
    const ownPort = await listen(own);
    ownGate.listensOn(ownPort);
    try {
      await work(ownPort, ownGate);
    } finally {
      own.closeAllConnections();
      own.close();
    }
  }

  /** Opens a connection and returns everything received until the server closes it. */
  async function closedBy(ownPort: number, write: (socket: Socket) => void): Promise<string> {
    const socket = connect(ownPort, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined); // the server may close it before everything is written
    write(socket);
    await new Promise((closed) => socket.on('close', closed)); // even after an error
    return text;
  }

  /**
   * Data written after the server closed the connection can make the kernel discard its reply: then the text is empty.
   */
  const TIMED_OUT = /^(HTTP\/1\.1 408 |$)/;

  it('closes a connection whose headers never end', async () => {
    await serve({ headersMs: 100, checkEveryMs: 20 }, async (ownPort) => {
      const text = await closedBy(ownPort, (socket) => {
        socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n`);
        const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      });
      expect(text).toMatch(TIMED_OUT);
    });
  });

  it('closes a connection whose body never ends', async () => {
    await serve({ bodyMs: 150, checkEveryMs: 20 }, async (ownPort) => {
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

  it('refuses headers over 16 KB, and what is not HTTP, with an error like all others', async () => {
    const large = await get('/', `X-Large: ${'x'.repeat(17 * 1024)}`);
    expect(large.status).toBe(431);
    expect(errorIn(large.text)).toMatchObject({
      code: 'headers_too_large',
      message: 'The address and the headers are larger than 16 KB.',
    });
    const broken = await raw(['GET / HTTP/1.1', `Host: 127.0.0.1:${port}`, 'No colon']);
    expect(broken.status).toBe(400);
    expect(errorIn(broken.text)).toMatchObject({ code: 'invalid_request' });
    expect(broken.text).toContain('x-content-type-options: nosniff\r\n');
    expect(seen).toEqual([]);
  });

  it('says what was wrong with a body that arrives too slowly', async () => {
    await serve({ bodyMs: 150, checkEveryMs: 20 }, async (ownPort) => {
      const text = await closedBy(ownPort, (socket) => {
        socket.write(
          `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n${bearer}\r\nContent-Length: 9\r\n\r\n{`,
        );
      });
      expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(errorIn(text)).toEqual({
        code: 'request_timeout',
        message: 'The body of the request arrived too slowly.',
        hint: 'Send it within 0.15 seconds, or a larger one at 8 KB per second or more.',
      });
    });
  });

  it('waits longer for a body of which much has arrived', async () => {
    await serve({ bodyMs: 150, checkEveryMs: 20 }, async (ownPort) => {
      const size = 800_000; // a hundred seconds at 8 KB per second
      const socket = connect(ownPort, '127.0.0.1');
      socket.write(
        `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n${bearer}\r\nContent-Length: ${size}\r\n\r\n`,
      );
      socket.write(' '.repeat(size - 1));
      await delay(400);
      socket.write(' ');
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      socket.destroy();
    });
  });

  it('writes no error into a response that has begun', async () => {
    const own = createLoupeServer({
      gate: testGate({ token, port: undefined }),
      page: async (_, response) => void response.write('half a page'),
    });
    const ownPort = await listen(own);
    const text = await closedBy(ownPort, (socket) => {
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n\r\n`);
      socket.once('data', () => socket.write('nonsense\r\n\r\n'));
    });
    own.close();
    expect(text).toContain('half a page');
    expect(text).not.toContain('invalid_request');
  });

  it('closes connections over the limit, and accepts new ones when others close', async () => {
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

  it('serves the dashboard while one address holds 1,100 idle connections', async () => {
    await serve({}, async (ownPort) => {
      const idle = Array.from({ length: 1100 }, () => {
        const socket = connect(ownPort, '127.0.0.1');
        socket.on('error', () => undefined); // most are closed immediately
        return socket;
      });
      await Promise.all(idle.map((socket) => once(socket, 'connect')));
      const response = await fetch(`http://127.0.0.1:${ownPort}/`, { signal: AbortSignal.timeout(5000) });
      expect(response.status).toBe(200);
      for (const socket of idle) socket.destroy();
    });
  });

  it('serves 400 connections from one address that were opened before any request was sent', async () => {
    await serve({}, async (ownPort) => {
      const sockets = Array.from({ length: 400 }, () => connect(ownPort, '127.0.0.1'));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      // The server has accepted all of them once it answers the last one.
      const last = await fetch(`http://127.0.0.1:${ownPort}/`);
      expect(last.status).toBe(200);
      await Promise.all(sockets.map((socket) => answered(socket, ownPort)));
      expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
      for (const socket of sockets) socket.destroy();
    });
  });

  it('does not treat a connection as idle during a request', async () => {
    await serve({ idlePerAddress: 1 }, async (ownPort) => {
      const body = '{}';
      const working = connect(ownPort, '127.0.0.1');
      let text = '';
      working.on('data', (chunk) => {
        text += chunk;
      });
      working.write(
        `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n${bearer}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
      );
      await once(working, 'data'); // the server has the headers, and waits for the body
      const idle = connect(ownPort, '127.0.0.1');
      idle.on('error', () => undefined);
      const next = connect(ownPort, '127.0.0.1');
      await once(idle, 'close');
      working.write(body);
      await once(working, 'close');
      next.destroy();
      expect(text).toContain('HTTP/1.1 200 ');
    });
  });

  async function answered(socket: Socket, ownPort: number): Promise<void> {
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n\r\n`);
    await once(socket, 'data');
  }

  it('after ten wrong tokens further ones get 429, and the right one is still accepted [threat 8]', async () => {
    await serve({}, async (ownPort) => {
      const ask = (guess: string) =>
        fetch(`http://127.0.0.1:${ownPort}/api/runs`, { headers: { authorization: `Bearer ${guess}` } });
      for (let guess = 0; guess < 10; guess++) expect((await ask(`guess-${guess}`)).status).toBe(401);
      const answer = await ask('guess-10');
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
      expect((await ask(token)).status).toBe(200);
    });
  });
});

it('limits headers to ten seconds and a body to thirty, plus one for every 8 KB of it [threat 15]', async () => {
  expect(server).toMatchObject({ headersTimeout: 10_000, maxConnections: 1024 });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const begun = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const ownGate = testGate({ token, port: undefined });
  const own = createLoupeServer({
    gate: ownGate,
    page: async (request) => {
      begun.resolve();
      let bytes = 0;
      for await (const chunk of request) {
        bytes += chunk.length;
        if (bytes === 80 * 1024) arrived.resolve();
      }
    },
  });
  const ownPort = await listen(own);
  ownGate.listensOn(ownPort);
  using _ = vi.spyOn(console, 'error').mockImplementation(() => {}); // the page, whose request was ended
  try {
    const socket = connect(ownPort, '127.0.0.1');
    socket.write(
      `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${ownPort}\r\n${bearer}\r\nContent-Length: 100000\r\n\r\n`,
    );
    await begun.promise;
    socket.write(' '.repeat(80 * 1024));
    await arrived.promise;
    const ended = vi.fn();
    own.on('clientError', ended);
    vi.advanceTimersByTime(39_000);
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2000);
    expect(ended).toHaveBeenCalledOnce();
    socket.destroy();
  } finally {
    vi.useRealTimers();
    own.closeAllConnections();
    own.close();
  }
});
