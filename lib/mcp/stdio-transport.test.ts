import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { ServerEnd, ServerProcess } from '../sandbox/sandbox.ts';
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
