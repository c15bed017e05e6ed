import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { experimentRequest } from '../api/experiment.ts';
import { mcpServerRequest } from '../api/mcp.ts';
import { setRunService } from '../app/current-service.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_SUITE_BYTES } from '../events/limits.ts';
import { serversUnderTest } from '../mcp/under-test.ts';
import { StorageFullError } from '../store/store-errors.ts';
import { listen } from '../testing/listen.ts';
import { openTestService, scripted, type TestService } from '../testing/test-service.ts';
import { setGate } from './current-gate.ts';
import { factsOfRequest } from './gate.ts';
import {
  bodyLimit,
  bodyTooLarge,
  checked,
  handle,
  idempotencyKey,
  pathNumber,
  readBody,
  wholeNumber,
} from './handle.ts';
import { testGate } from './test-gate.ts';

const token = 'operator-token-0123456789abcdef';
const host = '127.0.0.1:4120';
let test: TestService;

beforeAll(async () => {
  test = await openTestService(scripted([]));
  setRunService(test.service);
  setGate(testGate({ token, port: 4120 }));
});
afterAll(() => test.dispose());

function request(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Request {
  return new Request(`http://${host}${path}`, {
    ...init,
    headers: { host, authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
  });
}

async function codeOf(response: Response): Promise<[number, string]> {
  const body = z.object({ error: z.object({ code: z.string() }) }).parse(await response.json());
  return [response.status, body.error.code];
}

describe('handle', () => {
  const failing = (error: unknown) =>
    handle(request('/'), () => {
      throw error;
    });

  it('maps an AppError to its status and message', async () => {
    const response = await failing(new StorageFullError('/data/loupe.db'));
    expect(response.status).toBe(507);
    expect(await response.json()).toEqual({
      error: {
        code: 'storage_full',
        message: 'The disk that holds /data/loupe.db is full.',
        hint: expect.any(String),
      },
    });
  });

  it('reports a fault of an MCP server as 502, not as its own', async () => {
    const server = createServer((_, response) => response.writeHead(302, { location: '/other' }).end());
    const url = `http://127.0.0.1:${await listen(server)}/mcp`;
    await using mcp = await serversUnderTest();
    await mcp.servers.add('moved', mcpServerRequest.parse({ type: 'http', url }));
    const reply = await handle(request('/'), async () =>
      Response.json(await mcp.servers.offers('moved', new AbortController().signal)),
    );
    server.close();
    expect(await codeOf(reply)).toEqual([502, 'mcp_redirect']);
  });

  it('reports a machine without a sandbox as 409, not as its own fault', async () => {
    const missing = new AppError({ code: 'sandbox_missing', message: 'bubblewrap is not installed.' });
    expect(await codeOf(await failing(missing))).toEqual([409, 'sandbox_missing']);
  });

  it('recognizes an AppError from another copy of the module', async () => {
    const foreign = Object.assign(new Error('There is no run "x".'), {
      code: 'run_not_found',
      hint: undefined,
    });
    expect(await codeOf(await failing(foreign))).toEqual([404, 'run_not_found']);
  });

  it('hides the details of an internal error', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const response = await failing(new TypeError('secret detail of /home/ada'));
    expect(await codeOf(response.clone())).toEqual([500, 'internal_error']);
    expect(await response.text()).not.toContain('secret');
    expect(log).toHaveBeenCalled();
    log.mockRestore();
  });

  it('answers the work of a request that was aborted with 499, and logs nothing', async () => {
    using log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const abort = new AbortController();
    const response = await handle(request('/', { signal: abort.signal }), () => {
      abort.abort();
      abort.signal.throwIfAborted();
      return new Response('never sent');
    });
    expect(response.status).toBe(499);
    expect(log).not.toHaveBeenCalled();
  });

  it('accepts only JSON, and sends Retry-After', async () => {
    const work = vi.fn(() => new Response('ok'));
    const asText = request('/', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } });
    expect(await codeOf(await handle(asText, work))).toEqual([415, 'unsupported_media_type']);
    expect(work).not.toHaveBeenCalled();
    const headersOf = async (code: string) => {
      const { status, headers } = await failing(new AppError({ code, message: 'Refused.' }));
      return [status, headers.get('retry-after'), headers.get('www-authenticate')];
    };
    expect(await headersOf('store_busy')).toEqual([503, '1', null]);
    expect(await headersOf('too_many_tries')).toEqual([429, '60', null]);
    expect(await headersOf('unauthorized')).toEqual([401, null, 'Bearer realm="Loupe"']);
    expect(await headersOf('run_not_found')).toEqual([404, null, null]);
  });

  it('refuses parameters that the path does not have, and a second value of one that has one', async () => {
    const messageOf = async (path: string) => {
      const reply = await handle(request(path), () => new Response('ok'), {
        query: ['limit', 'before'],
        lists: ['run'],
      });
      return reply.status === 200 ? '' : (await reply.json()).error.message;
    };
    expect(await messageOf('/?limit=1&run=a&run=b&ticket=x')).toBe('');
    expect(await messageOf('/?limt=1&after=2')).toBe(
      'limt: unknown parameter. Did you mean "limit"? after: unknown parameter.',
    );
    expect(await messageOf('/?limit=1&limit=2')).toBe('limit: given 2 times; it takes one value.');
    const hintOf = async (options: Parameters<typeof handle>[2]) =>
      (await (await handle(request('/?x'), () => new Response('ok'), options)).json()).error.hint;
    expect(await hintOf({ query: ['limit'], lists: ['run'] })).toBe('This path accepts limit, run.');
    expect(await hintOf({})).toBe('This path accepts no parameters.');
  });

  it('prevents caching', async () => {
    const response = await handle(request('/'), () => Response.json({}));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('an event stream', () => {
  const stream = (cancelled: () => void) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(': hello\n\n')),
        cancel: cancelled,
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );

  it('ends when its browser is signed out', async () => {
    const gate = testGate({ token, port: 4120 });
    setGate(gate);
    const facts = factsOfRequest(request('/'));
    const { setCookie = '', key = '' } = (await gate.redeem(token, facts)) ?? {};
    const [cookie = ''] = setCookie.split(';');
    const asked = new Request(`http://${host}/api/stream`, { headers: { host, cookie, 'x-loupe-key': key } });
    const cancelled = vi.fn();
    const reader = (await handle(asked, () => stream(cancelled))).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': hello\n\n');
    const refused = expect(reader?.read()).rejects.toThrow('Signed out');
    await gate.signIns.signOut();
    await refused;
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it('of a script continues when browsers are signed out', async () => {
    const gate = testGate({ token, port: 4120 });
    setGate(gate);
    const cancelled = vi.fn();
    const { body } = await handle(request('/api/stream'), () => stream(cancelled));
    await gate.signIns.signOut();
    expect(cancelled).not.toHaveBeenCalled();
    await body?.cancel();
  });
});

describe('reading a body', () => {
  const schema = z.strictObject({ name: z.string().min(1), count: z.int().optional() });
  const post = (body: BodyInit) => request('/', { method: 'POST', body });

  it('reports every invalid field', async () => {
    expect(() => checked(schema, { name: '', count: 1.5, extra: 1 })).toThrow(/name: .*count: .*extra/s);
    await expect(readBody(post('{"name":'), schema)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await readBody(post('{"name":"x"}'), schema)).toEqual({ name: 'x' });
    expect(await readBody(post(''), z.strictObject({}))).toEqual({});
    const nested = (levels: number) => post(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(await readBody(nested(250), z.unknown())).toEqual([expect.any(Array)]);
    await expect(readBody(nested(100_000), experimentRequest)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The body is nested more than 250 levels deep.',
    });
  });

  it('suggests the field that an unknown one resembles', () => {
    expect(() => checked(schema, { name: 'a', counts: 2 })).toThrow(/counts: .* Did you mean "count"\?/);
  });

  it('stops reading a body that is too large, even without a Content-Length', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(256 * 1024).fill(0x20));
      },
    });
    const init = { method: 'POST', body: endless, duplex: 'half' };
    await expect(readBody(request('/', init), schema)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(pulled).toBeLessThan(10);
  });

  it.each(['/api/suites', '/api/suites/s1', '/api/experiments/read'])(
    'of %s can hold the longest suite file',
    (path) => {
      const file = '"\n'.repeat(MAX_SUITE_BYTES / 2);
      const body = JSON.stringify({ text: 'name: Plan', suite: { text: file, format: 'yaml' } });
      expect(bodyLimit(path)).toBeGreaterThan(Buffer.byteLength(body));
      expect(bodyLimit('/api/experiments')).toBeLessThan(MAX_SUITE_BYTES);
    },
  );

  it.each([
    ['/api/import', 'The file is larger than 128 MB.', undefined],
    ['/api/runs', 'The body is larger than 22 MB.', /images/],
    ['/api/runs/r1/messages', 'The body is larger than 22 MB.', /images/],
    ['/api/suites/s1', 'The body is larger than 8 MB.', /Split the suite/],
    ['/api/experiments', 'The body is larger than 1 MB.', /workspace/],
  ])('that is too large for %s says so', (path, message, hint) => {
    const error = bodyTooLarge(path);
    expect(error).toMatchObject({ code: 'body_too_large', message });
    if (hint) expect(error.hint).toMatch(hint);
    else expect(error.hint).toBeUndefined();
  });

  it('refuses a body by its declared length alone, and joins characters that arrive in pieces', async () => {
    const declared = request('/', {
      method: 'POST',
      body: '{"name":"x"}',
      headers: { 'content-length': '1048577' },
    });
    await expect(readBody(declared, schema)).rejects.toMatchObject({ code: 'body_too_large' });
    const bytes = new TextEncoder().encode('{"name":"é"}');
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const init = { method: 'POST', body: pieces, duplex: 'half' };
    expect(await readBody(request('/', init), schema)).toEqual({ name: 'é' });
  });
});

describe('reading the rest of a request', () => {
  const refused = expect.objectContaining({ code: 'invalid_request' });

  it('accepts whole numbers within their range in the query', () => {
    const limit = (query: string) => wholeNumber(request(`/api/runs${query}`), 'limit', { min: 1, max: 200 });
    expect([limit(''), limit('?limit=1'), limit('?limit=200')]).toEqual([undefined, 1, 200]);
    for (const text of ['0', '201', '-1', '1.5', '1e2', '0x1', ' 1', '', 'one', '1'.repeat(16)]) {
      expect(() => limit(`?limit=${encodeURIComponent(text)}`), text).toThrow(refused);
    }
    expect(() => limit(`?limit=${'x'.repeat(1000)}`)).toThrow(/^limit is "x{40}"; it must be/);
  });

  it('accepts positive integers in a path', () => {
    expect([pathNumber('1', 'event_not_found'), pathNumber('205', 'event_not_found')]).toEqual([1, 205]);
    for (const text of ['0', '01', '-1', '1.5', '1a', 'a1', '', '1'.repeat(16)]) {
      const code = expect.objectContaining({ code: 'event_not_found' });
      expect(() => pathNumber(text, 'event_not_found'), text).toThrow(code);
    }
  });

  it('accepts idempotency keys of up to 200 printable characters', () => {
    const key = (text: string) => idempotencyKey(request('/', { headers: { 'idempotency-key': text } }));
    expect(idempotencyKey(request('/'))).toBeUndefined();
    expect([key('a'), key('~'.repeat(200))]).toEqual(['a', '~'.repeat(200)]);
    for (const text of ['', 'a b', 'é', 'a'.repeat(201)]) expect(() => key(text), text).toThrow(refused);
  });
});
