import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../testing/listen.ts';
import { whileStarting } from './while-starting.ts';

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => void whileStarting(request, response));
  base = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => void server.close());

it('answers the API with an error in JSON', async () => {
  const reply = await fetch(`${base}/api/runs`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([503, 'application/json']);
  expect(reply.headers.get('retry-after')).toBe('1');
  expect(await reply.json()).toEqual({
    error: { code: 'starting', message: 'Loupe is starting.', hint: 'Try again in a second.' },
  });
});

it('answers pages with plain text that no browser keeps', async () => {
  const reply = await fetch(`${base}/runs/new`);
  expect(reply.status).toBe(503);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '1',
  });
  expect(await reply.text()).toBe('Loupe is starting. Try again in a second.\n');
});
