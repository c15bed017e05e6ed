import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readText } from './ollama-body.ts';
import { createHttpTransport, ExchangeError, exchange } from './ollama-http.ts';

let server: Server | undefined;
let connections = 0;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  connections = 0;
});

/** Serves requests, numbered from 1 on each connection. */
async function serve(
  answer: (number: number, ...args: Parameters<RequestListener>) => void,
  { staleMs = 60_000 }: { staleMs?: number } = {},
) {
  const numbers = new WeakMap<object, number>();
  server = createServer((request, response) => {
    const number = (numbers.get(request.socket) ?? 0) + 1;
    numbers.set(request.socket, number);
    answer(number, request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = createHttpTransport(url, { connectTimeoutMs: 60_000, staleMs });
  return {
    post: async (body = '{}') => {
      const { status, body: bytes } = await exchange(transport, {
        url,
        method: 'POST',
        body: [Buffer.from(body)],
      }).response;
      return { status, text: await readText(bytes, 1_000_000) };
    },
    start: () => exchange(transport, { url, method: 'POST', body: [Buffer.from('{}')] }),
  };
}

describe('a kept connection', () => {
  it('carries the next request', async () => {
    const { post } = await serve((_, request, response) => request.pipe(response));
    for (const body of ['{"a":1}', '{"b":"ü"}', '{}'])
      expect(await post(body)).toEqual({ status: 200, text: body });
    expect(connections).toBe(1);
  });

  it('is replaced if the server has closed it, and the same body is sent again', async () => {
    const { post } = await serve((number, request, response) => {
      if (number === 1) request.pipe(response);
      else request.socket.destroy();
    });
    expect(await post('{"a":1}')).toMatchObject({ text: '{"a":1}' });
    expect(await post('{"b":2}')).toMatchObject({ text: '{"b":2}' });
    expect(connections).toBe(2);
  });

  it('is replaced only once, and a new connection never', async () => {
    let closing = false;
    const { post } = await serve((_, request, response) => {
      if (closing) request.socket.destroy();
      else request.pipe(response);
    });
    await post();
    closing = true;
    await expect(post()).rejects.toThrow(ExchangeError);
    expect(connections).toBe(2);
    await expect(post()).rejects.toMatchObject({ code: 'ECONNRESET', inBody: false });
    expect(connections).toBe(3);
  });

  it('is not replaced if it breaks too late to have been closed while idle', async () => {
    const { post } = await serve(
      (number, request, response) => {
        if (number === 1) request.pipe(response);
        else request.socket.destroy();
      },
      { staleMs: 0 },
    );
    await post();
    await expect(post()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(connections).toBe(1);
  });

  it('is not replaced once the response has begun', async () => {
    const { post } = await serve((number, request, response) => {
      if (number === 1) return void response.end('whole');
      response.write('part');
      setImmediate(() => request.socket.destroy());
    });
    await post();
    await expect(post()).rejects.toMatchObject({ inBody: true });
    expect(connections).toBe(1);
  });

  it('is reused after the rest of a response was skipped', async () => {
    const { start, post } = await serve((_, __, response) => {
      response.write('first\n');
      response.end('rest');
    });
    const { response, close } = start();
    const { body, skipRest } = await response;
    await body((piece) => {
      expect(Buffer.from(piece).toString()).toMatch(/^first/);
      return false;
    });
    skipRest();
    close();
    await expect.poll(async () => (await post()).text).toBe('first\nrest');
    expect(connections).toBeLessThanOrEqual(2);
  });
});

it('closes the connection of a response that is not read to its end', async () => {
  let isGone = false;
  const { start } = await serve((_, request, response) => {
    request.socket.once('close', () => {
      isGone = true;
    });
    response.write('endless');
  });
  const { response, close } = start();
  await response;
  close();
  await expect.poll(() => isGone).toBe(true);
});

it('fails to read a body whose connection was closed, before or while it is read', async () => {
  const { start } = await serve((_, __, response) => response.write('endless'));
  const before = start();
  const { body } = await before.response;
  before.close();
  await expect(body(() => true)).rejects.toMatchObject({ name: 'ExchangeError', inBody: true });

  const during = start();
  const read = (await during.response).body(() => {
    during.close();
    return true;
  });
  await expect(read).rejects.toMatchObject({ name: 'ExchangeError', inBody: true });
});

it('passes on what the reader of a body throws', async () => {
  const { start } = await serve((_, __, response) => response.end('some'));
  const { body } = await start().response;
  const read = body(() => {
    throw new RangeError('too much');
  });
  await expect(read).rejects.toThrow(RangeError);
});

it('closes a connection whose skipped response does not end', async () => {
  let isGone = false;
  const { start } = await serve((_, request, response) => {
    request.socket.once('close', () => {
      isGone = true;
    });
    response.write('all there is to say');
  });
  const { response, close } = start();
  (await response).skipRest();
  close();
  await expect.poll(() => isGone).toBe(true);
});

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('reads a body that a proxy compressed with %s', async (encoding, compress) => {
  const { post } = await serve((_, __, response) => {
    response.setHeader('content-encoding', encoding).end(compress('{"done":true}'));
  });
  expect(await post()).toEqual({ status: 200, text: '{"done":true}' });
});

it('gives up on a damaged compressed body', async () => {
  const { post } = await serve((_, __, response) => {
    response.setHeader('content-encoding', 'gzip').end('not compressed');
  });
  await expect(post()).rejects.toMatchObject({ inBody: true, code: 'Z_DATA_ERROR' });
});

it('fails if the server sends interim responses without end', async () => {
  const { post } = await serve((number, _, response) => {
    for (let sent = 0; sent < (number === 1 ? 100 : 101); sent++) response.writeProcessing();
    response.end('{}');
  });
  expect(await post()).toEqual({ status: 200, text: '{}' });
  const failed = post();
  await expect(failed).rejects.toBeInstanceOf(ExchangeError);
  await expect(failed).rejects.toThrow('it sends more than 100 interim responses');
});

it('fails if the server switches to another protocol', async () => {
  const { post } = await serve((_, { socket }) => {
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello',
    );
  });
  await expect(post()).rejects.toMatchObject({ inBody: false, message: 'it switches to another protocol' });
});
