import { createServer, type Server, type ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listen } from '../testing/listen.ts';
import { type ServersUnderTest, serverAt, serversUnderTest } from './under-test.ts';

// Servers at an address that stop answering in the middle of the protocol.

let test: ServersUnderTest;
const listeners: Server[] = [];
beforeEach(async () => {
  test = await serversUnderTest();
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
  for (const listener of listeners.splice(0)) {
    listener.closeAllConnections();
    listener.close();
  }
});

type Answer = (response: ServerResponse, id: unknown) => void;

/** The address of a server that follows the protocol except for messages with these methods. */
async function addressOf(answers: Readonly<Record<string, Answer>>): Promise<string> {
  const listener = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await readAll(request));
    const answer = answers[method];
    if (answer) return answer(response, id);
    if (id === undefined) return response.writeHead(202).end();
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'web', version: '1' },
      },
      'tools/list': { tools: [{ name: 'act', inputSchema: { type: 'object' } }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  });
  listeners.push(listener);
  return `http://127.0.0.1:${await listen(listener)}/mcp`;
}

const EVENTS = { 'content-type': 'text/event-stream' };

it.each([
  ['not answered', () => undefined],
  ['answered without end', (response) => void response.writeHead(200, EVENTS).write(': wait\n\n')],
] satisfies [string, Answer][])('can be stopped while the end of the handshake is %s', async (_, answer) => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const url = await addressOf({
    'notifications/initialized': (response) => {
      answer(response);
      resolve();
    },
  });
  await test.servers.add('web', serverAt(url));
  await test.servers.start('web');
  await reached;
  await test.servers.stop('web');
  expect((await test.servers.get('web')).state).toBe('off');
});

it.each([
  ['ends', (response) => void response.end()],
  ['breaks off', (response) => void response.destroy()],
] satisfies [string, Answer][])('fails a call at once whose stream %s without the answer', async (_, end) => {
  const url = await addressOf({
    'tools/call': (response) => void response.writeHead(200, EVENTS).write(': wait\n\n', () => end(response)),
  });
  // Without the time limit of a test, this would wait for an hour.
  await test.start('web', serverAt(url, { timeout_seconds: 3600 }));
  const { signal } = new AbortController();
  await expect(test.servers.call('web', 'act', {}, signal)).rejects.toMatchObject({
    code: 'mcp_call_failed',
    message: expect.stringContaining(': The response stream ended before the answer came.'),
    hint: expect.stringContaining('may have been carried out'),
  });
});

const JSON_BODY = { 'content-type': 'application/json' };
const HTML = '<title>Sign in</title>';

it.each([
  ['without an answer', 202, {}, '', 'It accepted the request without answering it (HTTP 202). '],
  ['with an empty body', 200, JSON_BODY, '', 'It sent an empty response (HTTP 200, application/json).'],
  ['with no content', 204, {}, '', 'It sent an empty response (HTTP 204).'],
  ['with an empty list', 200, JSON_BODY, '[]', 'It sent no valid answer (HTTP 200, application/json): "[]".'],
  ['with an invalid answer', 200, JSON_BODY, '{"jsonrpc":"2.0","id":2,"result":null}', '"result":null}".'],
  [
    'with another answer',
    200,
    JSON_BODY,
    '{"jsonrpc":"2.0","id":"abc","result":{}}',
    '"id":"abc","result":{}}".',
  ],
  [
    'with a notification',
    200,
    JSON_BODY,
    '{"jsonrpc":"2.0","method":"notifications/a"}',
    'notifications/a"}".',
  ],
  [
    'with text',
    200,
    JSON_BODY,
    'Welcome!',
    'It sent no valid answer (HTTP 200, application/json): "Welcome!".',
  ],
  ['with a page', 200, { 'content-type': 'text/html' }, HTML, `(HTTP 200, text/html): "${HTML}".`],
] satisfies [string, number, Record<string, string>, string, string][])(
  'fails a request at once that is answered %s, and shows what came',
  async (_, status, headers, body, shown) => {
    const answer: Answer = (response) => void response.writeHead(status, headers).end(body);
    // Without the time limit of a test, these would wait for an hour and a minute.
    await test.start('web', serverAt(await addressOf({ 'tools/call': answer }), { timeout_seconds: 3600 }));
    const call = test.servers.call('web', 'act', {}, new AbortController().signal);
    await expect(call).rejects.toMatchObject({
      code: 'mcp_call_failed',
      message: expect.stringContaining(shown),
      hint: expect.stringContaining('may have been carried out'),
    });
    const { failure } = await test.start('first', serverAt(await addressOf({ initialize: answer })));
    expect(failure?.message).toContain(shown);
  },
);

it.each([
  [
    'another answer',
    '{"jsonrpc":"2.0","id":"abc","result":{}}',
    '1 answer that no request waits for: "id abc".',
  ],
  ['another event', 'Welcome!', '1 event that is not a protocol message: '],
])('says at the time limit that %s came in a stream', async (_, data, came) => {
  const url = await addressOf({
    'tools/call': (response) => void response.writeHead(200, EVENTS).write(`data: ${data}\n\n`),
  });
  await test.start('web', serverAt(url, { timeout_seconds: 1 }));
  const call = test.servers.call('web', 'act', {}, new AbortController().signal);
  await expect(call).rejects.toThrow(
    `did not answer the call: The call timed out after 1 s. It sent ${came}`,
  );
});

it('says at the time limit that a response does not end', async () => {
  const url = await addressOf({
    'tools/call': (response) => void response.writeHead(200, JSON_BODY).write('{"jsonrpc":"2.0",'),
  });
  await test.start('web', serverAt(url, { timeout_seconds: 1 }));
  const call = test.servers.call('web', 'act', {}, new AbortController().signal);
  await expect(call).rejects.toThrow(
    'The call timed out after 1 s. It sent a response that does not end: "{"jsonrpc":"2.0",".',
  );
});

it('answers a request of a server whose ID is that of a call', async () => {
  const url = await addressOf({
    'tools/call': (response, id) => {
      response.writeHead(200, EVENTS).write(`data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`);
      const result = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } });
      setTimeout(() => response.end(`data: ${result}\n\n`), 200);
    },
  });
  await test.start('web', serverAt(url));
  const { result } = await test.servers.call('web', 'act', {}, new AbortController().signal);
  expect(result.success).toBe(true);
});

it.each(['127.0.0.1', 'localhost'])(
  'says that nothing was carried out by a call that does not reach %s',
  async (host) => {
    const url = await addressOf({});
    const [listener] = listeners;
    // Each request needs its own connection.
    listener?.prependListener('request', (_, response) => {
      response.shouldKeepAlive = false;
    });
    await test.start('web', serverAt(url.replace('127.0.0.1', host)));
    listener?.close();
    const { signal } = new AbortController();
    await expect(test.servers.call('web', 'act', {}, signal)).rejects.toMatchObject({
      code: 'mcp_call_failed',
      message: expect.stringContaining('could not be reached for the call'),
      hint: expect.stringContaining('Nothing was carried out'),
    });
  },
);

it.each([
  ['body', 'application/json', (message) => message],
  ['event', EVENTS['content-type'], (message) => `: wait\n\ndata: ${message}\n\n`],
] satisfies [string, string, (message: string) => string][])(
  'stops a server that sends an object with too many fields as a %s',
  async (_, type, written) => {
    const fields = Object.fromEntries(Array.from({ length: 20_001 }, (_, field) => [`field${field}`, 1]));
    const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: fields });
    const url = await addressOf({
      'tools/call': (response) =>
        void response.writeHead(200, { 'content-type': type }).end(written(message)),
    });
    await test.start('web', serverAt(url));
    const call = test.servers.call('web', 'act', {}, new AbortController().signal);
    await expect(call).rejects.toThrow('object with more than 20,000 fields');
  },
);

it('stops a server that sends too many objects and lists', async () => {
  const structuredContent = { a: Array.from({ length: 300_001 }, () => ({})) };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { structuredContent } });
  const url = await addressOf({
    'tools/call': (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(message),
  });
  await test.start('web', serverAt(url));
  const call = test.servers.call('web', 'act', {}, new AbortController().signal);
  await expect(call).rejects.toThrow('It sent more than 300,000 objects and lists.');
});

it('has a time limit for all pages of a list together', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    let pages = 0;
    const url = await addressOf({
      'tools/list': (response, id) => {
        pages += 1;
        vi.advanceTimersByTime(19_000);
        const result = { tools: [], nextCursor: `${pages}` };
        response.writeHead(200, JSON_BODY).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      },
    });
    const { failure } = await test.start('web', serverAt(url));
    expect(failure?.message).toMatch(/did not list its tools: Request timed out\.$/);
    expect(pages).toBeLessThanOrEqual(5);
  } finally {
    vi.useRealTimers();
  }
});
