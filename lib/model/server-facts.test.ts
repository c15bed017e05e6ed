import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { listen } from '../testing/listen.ts';
import { modelErrorOf } from '../testing/model-error-of.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { parseOllamaHost } from './ollama-host.ts';
import { pullModel } from './ollama-pull.ts';
import { SHORT_WHILE_MS } from './recent-answers.ts';

let fake: FakeOllama;
afterEach(() => fake?.close());

const signal = new AbortController().signal;
const context = { signal, timeoutMs: 10_000 };
const load = { model: 'play', numCtx: 4096, keepAlive: '5m' };
const call = {
  model: 'play',
  messages: [{ role: 'user' as const, content: 'Hello' }],
  tools: [],
  options: { num_ctx: 4096, num_predict: 64 },
  think: false,
  stream: false,
  keepAlive: '5m',
};

async function start(options: FakeOllamaOptions = {}) {
  fake = await startFakeOllama({
    models: [{ name: 'play' }],
    scenarios: [{ name: 'answer', model: 'play', steps: [{ reply: { content: 'Hello.' } }] }],
    ...options,
  });
  const host = parseOllamaHost(fake.url);
  return { host, model: createOllamaChatModel({ host }) };
}

/** The requests that an action makes, by path. */
async function requestsOf(action: () => Promise<unknown>): Promise<string[]> {
  const before = fake.requests.length;
  await action();
  return fake.requests
    .slice(before)
    .map(({ path }) => path)
    .sort();
}

it('a second run a moment later asks nothing before it loads the model', async () => {
  const { model } = await start();
  const check = async () => [await model.ping(), await model.show('play')];
  await model.load(load, context);
  const first = await check();
  expect(await requestsOf(async () => expect(await check()).toEqual(first))).toEqual([]);
});

it('a model that was installed after the list was read has its digest all the same', async () => {
  const { model } = await start();
  await model.show('play');
  await sleep(SHORT_WHILE_MS);
  fake.add({ name: 'late', model: 'late:1b', steps: [{ reply: { content: 'Hello.' } }] });
  expect((await model.show('late:1b')).digest).toEqual(expect.any(String));
});

it.each(['PLAY', 'library/play:Latest'])(
  'a model has its digest under every name that Ollama takes: %s',
  async (name) => {
    const { model } = await start();
    const { digest, sizeBytes } = await model.show('play');
    expect(digest).toBeDefined();
    expect(await model.show(name)).toMatchObject({ digest, sizeBytes });
  },
);

it('a list without the model is not asked for again if it is younger than the details of the model', async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end(JSON.stringify(url === '/api/tags' ? { models: [] } : { capabilities: ['completion'] }));
  });
  const host = parseOllamaHost(`http://127.0.0.1:${await listen(server)}`);
  const model = createOllamaChatModel({ host });
  await model.show('unlisted');
  await model.show('unlisted');
  expect(asked.sort()).toEqual(['/api/show', '/api/tags']);
  server.closeAllConnections();
  server.close();
});

it('a load reads the list of models and the loaded models again', async () => {
  const { model } = await start();
  await model.load(load, context);
  await model.ping();
  await sleep(SHORT_WHILE_MS);
  expect(await requestsOf(() => model.load(load, context))).toEqual([
    '/api/chat',
    '/api/ps',
    '/api/ps',
    '/api/tags',
  ]);
});

it('a look at the loaded model is one request', async () => {
  const { model } = await start();
  await model.load(load, context);
  expect(await requestsOf(() => model.inMemory?.('play', signal) ?? Promise.reject())).toEqual(['/api/ps']);
});

describe('everything is asked anew', () => {
  it('after a connection failed', async () => {
    const { model } = await start({
      scenarios: [{ name: 'crash', model: 'play', steps: [{ fault: { kind: 'reset' } }] }],
    });
    await model.ping();
    await model.show('play');
    expect(await modelErrorOf(model.chat(call, context))).toMatchObject({ kind: 'cut_off' });
    expect(await requestsOf(() => Promise.all([model.ping(), model.show('play')]))).toEqual([
      '/',
      '/api/show',
      '/api/tags',
      '/api/version',
    ]);
  });

  it('after a model was missing', async () => {
    const { model } = await start();
    await model.show('play');
    await modelErrorOf(model.show('gone'));
    expect(await requestsOf(() => model.show('play'))).toEqual(['/api/show', '/api/tags']);
  });
});

it('the list of models is read again if a loaded model of the same name has another digest', async () => {
  const { host, model } = await start({
    models: [{ name: 'play' }, { name: 'new' }],
    library: [{ model: { name: 'play', copy_of: 'new' } }],
  });
  const before = await model.show('play');
  // Another program replaces the model and loads it.
  await pullModel(host, 'play', { signal, onProgress: () => {} });
  const other = createOllamaChatModel({ host });
  await other.load(load, context);
  const requests = await requestsOf(async () =>
    expect(await model.inMemory?.('play', signal)).toMatchObject({ state: 'loaded' }),
  );
  expect(requests).toEqual(['/api/ps', '/api/tags']);
  const after = await model.show('play');
  expect(after.digest).not.toBe(before.digest);
  expect(after.digest).toBe((await other.show('play')).digest);
});
