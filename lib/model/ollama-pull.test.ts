import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { loadModel } from './load-model.ts';
import type { ModelError } from './model-error.ts';
import { connectOllama } from './ollama-connection.ts';
import { type OllamaHost, parseOllamaHost } from './ollama-host.ts';
import { listInstalled, listRunning, unloadModel } from './ollama-models.ts';
import { type PullProgress, pullModel } from './ollama-pull.ts';
import { renderPrompt } from './ollama-render.ts';

let fake: FakeOllama;
let host: OllamaHost;
beforeAll(async () => {
  fake = await startFakeOllama({
    library: [
      { model: { name: 'small', size_bytes: 2_000 } },
      { model: { name: 'huge' }, error: 'write /models/x: no space left on device' },
      { model: { name: 'new-one' }, error: 'this model requires a newer version of Ollama' },
      {
        model: { name: 'far' },
        error: 'max retries exceeded: dial tcp: lookup registry.ollama.ai: no such host',
      },
    ],
    scenarios: [{ name: 'talker', steps: [{ reply: { content: 'Yes.' } }] }],
  });
  host = parseOllamaHost(fake.url);
});
afterAll(() => fake.close());

const signal = () => new AbortController().signal;
const failing = (model: string): Promise<ModelError> =>
  pullModel(host, model, { signal: signal(), onProgress: () => {} }).then(
    () => Promise.reject(new Error('it was fetched')),
    (error: ModelError) => error,
  );

it('pulls a model and reports progress', async () => {
  const progress: PullProgress[] = [];
  await pullModel(host, 'small', { signal: signal(), onProgress: (each) => progress.push(each) });
  expect(progress[0]).toEqual({ step: 'pulling manifest' });
  expect(progress.map(({ step }) => step)).toContain('verifying sha256 digest');
  const parts = progress.filter(({ part }) => part !== undefined);
  expect(parts[0]).toMatchObject({ completedBytes: 0, totalBytes: 1900 });
  expect(parts.at(-1)).toMatchObject({ completedBytes: 100, totalBytes: 100 });
  expect((await listInstalled(connectOllama(host))).map(({ name }) => name)).toContain('small:latest');
});

it.each([
  ['nobody', 'model_unknown', 'library'],
  ['huge', 'no_space', 'ollama rm'],
  ['new-one', 'ollama_too_old', 'Update Ollama'],
  ['far', 'library_unreachable', 'online'],
])('a pull of %s fails with a hint', async (model, code, hint) => {
  const error = await failing(model);
  expect(error).toMatchObject({ code });
  expect(error.hint).toContain(hint);
});

it('a cancelled pull closes the connection to Ollama', async () => {
  fake.publish({ model: { name: 'slow' } });
  const release = fake.holdPull('slow', 0.5);
  const stop = new AbortController();
  const pulling = pullModel(host, 'slow', {
    signal: stop.signal,
    onProgress: ({ completedBytes = 0, totalBytes = 1 }) => {
      if (completedBytes * 2 >= totalBytes) stop.abort();
    },
  });
  await expect(pulling).rejects.toMatchObject({ kind: 'aborted' });
  await expect.poll(() => fake.closeEvents.map(({ path }) => path)).toContain('/api/pull');
  release();
});

it('unloads a model [OL9]', async () => {
  const connection = connectOllama(host);
  await loadModel(
    connection,
    { model: 'talker', numCtx: 2048, keepAlive: '5m' },
    { signal: signal(), timeoutMs: 5000 },
  );
  expect(await listRunning(connection)).toHaveLength(1);
  await unloadModel(connection, 'talker');
  expect(await listRunning(connection)).toEqual([]);
});

it('returns the rendered prompt without a reply [OL5]', async () => {
  const prompt = await renderPrompt(
    connectOllama(host),
    {
      model: 'talker',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Well?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
        },
      ],
      options: { num_ctx: 2048, num_predict: 10 },
      think: false,
      stream: true,
      keepAlive: '5m',
    },
    { signal: signal(), timeoutMs: 5000 },
  );
  expect(prompt).toMatch(/^<\|im_start\|>system\nBe brief\..*"name":"look".*<\|im_end\|>/s);
  expect(prompt.endsWith('<|im_start|>assistant\n')).toBe(true);
  expect(fake.chats).toEqual([]);
});
