import { PassThrough, Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import type { ServerEnd, ServerProcess } from '../sandbox/sandbox.ts';
import { MAX_MESSAGES_PER_WINDOW } from './limits.ts';
import { StdioTransport } from './stdio-transport.ts';

it('keeps why a server ended whose input is closed before its end is known', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const stdin = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => done(broken) });
  stdin.on('error', () => setImmediate(() => end({ end: 'exited', exitCode: 3 })));
  const server: ServerProcess = {
    stdin,
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    ended,
    kill: () => undefined,
  };
  const transport = new StdioTransport(
    async () => server,
    (line) => JSON.parse(line),
  );
  await transport.start();
  const sent = transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await expect(sent).rejects.toThrow('EPIPE');
  await transport.close();
  expect(transport.problem).toBe('It ended by itself with exit code 3.');
});

it('keeps why a server was stopped, whatever it writes to stderr after that', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const kill = vi.fn();
  const stdin = new PassThrough();
  const transport = new StdioTransport(
    async () => ({ stdin, stdout, stderr, ended, kill }),
    (line) => JSON.parse(line),
  );
  vi.useFakeTimers({ toFake: ['performance'] }); // everything in one second
  try {
    await transport.start();
    stdout.write('{}\n'.repeat(MAX_MESSAGES_PER_WINDOW + 1));
    await vi.waitFor(() => expect(kill).toHaveBeenCalled());
    stderr.write('Error: write EPIPE\n');
    await vi.waitFor(() => expect(stderr.readableLength).toBe(0));
  } finally {
    vi.useRealTimers();
  }
  expect(transport.problem).toBe('It sent too many messages in one second.');
  end({ end: 'stopped', exitCode: undefined });
  await transport.close();
});

it('waits for a full input with one listener, however many messages wait', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
  let take = () => {};
  const stdin = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      take = done;
    },
  });
  const { stdout, stderr } = { stdout: Readable.from([]), stderr: Readable.from([]) };
  const transport = new StdioTransport(
    async () => ({ stdin, stdout, stderr, ended, kill: () => undefined }),
    (line) => JSON.parse(line),
  );
  await transport.start();
  const before = stdin.listenerCount('error');
  const sent = Array.from({ length: 20 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }));
  expect(stdin.listenerCount('drain')).toBe(1);
  expect(stdin.listenerCount('error')).toBe(before + 1);
  for (let taken = 0; taken < 20; taken++) take();
  await Promise.all(sent);
  const last = transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
  end({ end: 'exited', exitCode: 0 });
  await last;
  expect(stdin.listenerCount('drain')).toBe(0);
  expect(stdin.listenerCount('error')).toBe(before);
});

it('ends a server that is closed while it is being started', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
  const { promise: started, resolve: finishStart } = Promise.withResolvers<ServerProcess>();
  const transport = new StdioTransport(
    () => started,
    (line) => JSON.parse(line),
  );
  const start = transport.start();
  const close = transport.close();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.resume().once('end', () => end({ end: 'exited', exitCode: 0 }));
  finishStart({ stdin, stdout, stderr, ended, kill: () => undefined });
  await start;
  await close;
  expect(stdin.writableEnded).toBe(true);
  expect(transport.problem).toBeUndefined();
});

it('keeps a line that comes byte by byte in little memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { promise: ended } = Promise.withResolvers<ServerEnd>();
  const transport = new StdioTransport(
    async () => ({ stdin, stdout, stderr, ended, kill: () => undefined }),
    (line) => JSON.parse(line),
  );
  const received = vi.fn();
  transport.onmessage = received;
  await transport.start();
  const message = JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/é',
    params: { text: 'é'.repeat(60_000) },
  });
  const bytes = Buffer.from(message);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (const byte of bytes) stdout.emit('data', Buffer.from([byte]));
  collectGarbage();
  const grownMb = (process.memoryUsage().heapUsed - before) / 1024 / 1024;
  stdout.emit('data', Buffer.from('\n'));
  expect(received).toHaveBeenCalledWith(JSON.parse(message));
  // Kept one by one, the parts take more than 10 MB.
  expect(grownMb).toBeLessThan(3);
});
