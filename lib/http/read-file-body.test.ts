import { expect, it } from 'vitest';
import { MAX_RUN_FILE_BYTES } from '../sharing/exports/run-file.ts';
import { readFileBody } from './handle.ts';

function fileRequest(chunks: readonly string[], sent: string[]): Request {
  const left = [...chunks];
  const body = new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) return controller.close();
      sent.push(next);
      controller.enqueue(new TextEncoder().encode(next));
    },
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  return new Request('http://localhost/api/import', init);
}

it('streams the bytes as they arrive', async () => {
  const sent: string[] = [];
  const received = [];
  for await (const chunk of readFileBody(fileRequest(['one\n', 'two\n', 'three\n'], sent))) {
    received.push(new TextDecoder().decode(chunk));
  }
  expect(received).toEqual(['one\n', 'two\n', 'three\n']);
});

it('rejects a file as soon as it is too large', async () => {
  const sent: string[] = [];
  const bytes = readFileBody(fileRequest(Array(5).fill('x'.repeat(MAX_RUN_FILE_BYTES / 2)), sent));
  const received = async () => {
    for await (const chunk of bytes) expect(chunk.byteLength).toBeGreaterThan(0);
  };
  await expect(received()).rejects.toMatchObject({ code: 'body_too_large' });
  expect(sent.length).toBeLessThan(5);
});

it('reads a request without a body as an empty file', async () => {
  const request = new Request('http://localhost/api/import', { method: 'POST' });
  expect(await readFileBody(request).next()).toEqual({ done: true, value: undefined });
});
