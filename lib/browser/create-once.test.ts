import { afterEach, expect, it, vi } from 'vitest';
import { createOnce } from './create-once.ts';

afterEach(() => vi.unstubAllGlobals());

/** A server that records the keys of requests. While `isLosing` is set, its answers are lost; then come its refusals. */
function serve() {
  const keys: string[] = [];
  const refusals: { status: number; code: string }[] = [];
  const server = { keys, isLosing: false, refusals };
  vi.stubGlobal('fetch', async (_path: string, { headers }: { headers: Record<string, string> }) => {
    keys.push(headers['idempotency-key'] ?? '');
    if (server.isLosing) throw new TypeError('Failed to fetch');
    const { status, code } = refusals.shift() ?? {};
    if (status) return Response.json({ error: { code, message: 'Refused.' } }, { status });
    return Response.json({ run: { id: 'r1' } }, { status: 201 });
  });
  return server;
}

it('repeats the key of a request whose answer was lost, and takes a new one after an answer', async () => {
  const server = serve();
  const start = (task: string) => createOnce('/api/runs', { task });
  server.isLosing = true;
  await expect(start('a')).rejects.toMatchObject({ code: 'unreachable' });
  server.isLosing = false;
  await start('a');
  await start('a');
  const [first, second, third] = server.keys;
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

it('uses a new key for a changed request, and for another path', async () => {
  const server = serve();
  server.isLosing = true;
  for (const [path, task] of [
    ['/api/runs', 'a'],
    ['/api/runs', 'b'],
    ['/api/runs/r1/fork', 'b'],
  ] as const) {
    await expect(createOnce(path, { task })).rejects.toMatchObject({ code: 'unreachable' });
  }
  expect(new Set(server.keys).size).toBe(3);
});

it('sends a key from a page without a secure context', async () => {
  const server = serve();
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  for (const task of ['a', 'b']) await createOnce('/api/runs', { task });
  expect(new Set(server.keys).size).toBe(2);
  expect(server.keys).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
});

it('takes a new key once the answer says that what the first request created was deleted', async () => {
  const server = serve();
  const start = () => createOnce('/api/experiments', { name: 'a' });
  server.isLosing = true;
  await expect(start()).rejects.toMatchObject({ code: 'unreachable' });
  server.isLosing = false;
  server.refusals.push({ status: 410, code: 'experiment_deleted' });
  await expect(start()).rejects.toMatchObject({ code: 'experiment_deleted' });
  await start();
  const [first, second, third] = server.keys;
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});
