import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { getJson } from '../api.ts';
import { receiveKey } from '../sign-in-key.ts';
import { browserTransport } from './browser-transport.ts';
import type { StreamHandlers } from './stream-hub.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  receiveKey(undefined);
  vi.unstubAllGlobals();
});

/** A server for paths without a host, as on a page. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(new URL(path, base), init));
}

/** Opens a stream and collects its messages until it fails. */
function openStream(over: Partial<StreamHandlers> = {}) {
  const told: string[] = [];
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const close = browserTransport.openStream('/api/stream?list=1', {
    open: () => told.push('open'),
    alive: () => undefined,
    event: (id, data) => told.push(`${id} ${data}`),
    named: (name, data) => told.push(`${name}: ${data}`),
    error: () => {
      told.push('error');
      resolve();
    },
    ...over,
  });
  return { told, lost, close };
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

it('sends the key of a tab only to our own server', async () => {
  const keys: unknown[] = [];
  await serve((request, response) => {
    keys.push([request.url, request.headers['x-loupe-key']]);
    response.end('{"run":{"last_seq":3}}');
  });
  receiveKey('the-key');
  expect(await browserTransport.askHead('a')).toEqual({ kind: 'known', lastSeq: 3 });
  await openStream().lost;
  await getJson('/s/a-shared-run/events/1');
  receiveKey(undefined);
  await browserTransport.askHead('a');
  expect(keys).toEqual([
    ['/api/runs/a', 'the-key'],
    ['/api/stream?list=1', 'the-key'],
    ['/s/a-shared-run/events/1', undefined],
    ['/api/runs/a', undefined],
  ]);
});

it('passes on events with their ID and named events with their name, until the stream ends', async () => {
  await serve((_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write('retry: 1000\n: Loupe\n\nid: a:1\ndata: {"seq":1}\n\n');
    response.end('event: run\ndata: {"id":"a"}\n\nevent: unknown\ndata: x\n\nid: a:2\ndata: two\n\n');
  });
  const { told, lost } = openStream();
  await lost;
  expect(told).toEqual(['open', 'a:1 {"seq":1}', 'run: {"id":"a"}', 'a:2 two', 'error']);
});

it.each([401, 503])('reports a stream refused with %i as lost, without having been open', async (status) => {
  await serve((_, response) => response.writeHead(status).end('{}'));
  const { told, lost } = openStream();
  await lost;
  expect(told).toEqual(['error']);
});

it('reports nothing more about a closed stream', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await serve((_, response) => {
    response.writeHead(200, EVENT_STREAM).write('id: a:1\ndata: 1\n\nid: a:2\ndata: 2\n\n');
    response.on('close', resolve);
  });
  const told: string[] = [];
  const { close } = openStream({
    event: (id) => {
      told.push(id);
      close();
    },
    error: () => told.push('error'),
  });
  await closed;
  expect(told).toEqual(['a:1']);
});

it('continues with the next event when a listener fails', async () => {
  await serve((_, response) => {
    response.writeHead(200, EVENT_STREAM).end('id: a:1\ndata: 1\n\nid: a:2\ndata: 2\n\n');
  });
  const reported: unknown[] = [];
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error));
  const told: string[] = [];
  const { lost } = openStream({
    event: (id) => {
      told.push(id);
      if (id === 'a:1') throw new TypeError('A listener failed');
    },
  });
  await lost;
  expect(told).toEqual(['a:1', 'a:2']);
  expect(reported).toEqual([new TypeError('A listener failed')]);
});
