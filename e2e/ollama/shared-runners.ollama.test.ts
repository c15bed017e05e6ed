import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { measuredFacts } from '../../lib/browser/words/check-words.ts';
import { checkModel } from '../../lib/checks/check-model.ts';
import type { ChatReply, ChatRequest, LoadedModel } from '../../lib/model/chat-model.ts';
import { ModelError } from '../../lib/model/model-error.ts';
import { connectOllama } from '../../lib/model/ollama-connection.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { unloadModel } from '../../lib/model/ollama-models.ts';
import { ModelServers } from '../../lib/models/model-servers.ts';
import { listedModels } from '../../lib/testing/listed-models.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
beforeAll(async () => {
  ollama = await startOllama({ OLLAMA_REMOTES: '127.0.0.1' });
  await post('/api/copy', { source: 'tiny-tools', destination: 'copied' });
  await post('/api/create', {
    model: 'derived',
    from: 'tiny-tools',
    parameters: { temperature: 0.5 },
    stream: false,
  });
});
afterAll(() => ollama?.stop());

const signal = new AbortController().signal;
const context = { signal, timeoutMs: 120_000 };

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(ollama.url + path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

const host = () => parseOllamaHost(ollama.url);
const chatModel = () => createOllamaChatModel({ host: host() });

function load(model: string, options: Record<string, unknown> = {}): Promise<LoadedModel> {
  return chatModel().load({ model, numCtx: 2048, keepAlive: '5m', options }, context);
}

const request = (model: string): ChatRequest => ({
  model,
  messages: [{ role: 'user', content: 'Write an endless text' }],
  tools: [],
  options: { num_ctx: 2048, num_predict: 1800, temperature: 0 },
  think: false,
  stream: true,
  keepAlive: '5m',
});

/** Suspends all runners, and resumes them afterwards. */
async function frozen<T>(work: () => Promise<T>): Promise<T> {
  const pids = await ollama.runners();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    const left = await ollama.runners();
    for (const pid of pids.filter((each) => left.includes(each))) process.kill(pid, 'SIGCONT');
  }
}

describe.each(['copied', 'derived'])('a model over the weights of another: %s', (alias) => {
  beforeEach(async () => {
    const connection = connectOllama(host());
    await unloadModel(connection, 'tiny-tools');
    await expect.poll(() => chatModel().inMemory?.('tiny-tools', signal)).toEqual({ state: 'not_loaded' });
  });

  it('is in memory with the other model, under its own name', async () => {
    expect(await load('tiny-tools')).toMatchObject({ alreadyLoaded: false, contextTokens: 2048 });
    const found = await load(alias);
    expect(found).toMatchObject({ alreadyLoaded: true, loadMs: 0, contextTokens: 2048 });
    expect(found.sizeBytes).toBeGreaterThan(1_000_000);
    expect(await ollama.runners()).toHaveLength(1);
    const models = await listedModels(new ModelServers(host()));
    const memory = (name: string) => models.find((model) => model.name === `${name}:latest`);
    expect(memory('tiny-tools')).toMatchObject({ memory: 'loaded', loaded: { context_tokens: 2048 } });
    expect(memory(alias)).toMatchObject({
      memory: 'loaded',
      loaded: { loaded_as: 'tiny-tools:latest', context_tokens: 2048 },
    });
    // Also created from the same file.
    expect(memory('tiny-plain')).toMatchObject({ loaded: { loaded_as: 'tiny-tools:latest' } });
  });

  it('takes over the runner when it is loaded with another window', async () => {
    await load('tiny-tools');
    const wider = await chatModel().load({ model: alias, numCtx: 4096, keepAlive: '5m' }, context);
    expect(wider).toMatchObject({ alreadyLoaded: false, contextTokens: 4096 });
    expect(wider.loadMs).toBeGreaterThan(50);
    expect(await chatModel().inMemory?.('tiny-tools', signal)).toMatchObject({
      state: 'loaded',
      model: { name: `${alias}:latest`, contextTokens: 4096 },
    });
  });

  it('does not count as idle after a stop while its runner is frozen [S14]', async () => {
    await load('tiny-tools');
    const stop = new AbortController();
    let heard = 0;
    const call = chatModel()
      .chat(request(alias), { ...context, signal: stop.signal, onDelta: () => heard++ })
      .catch((error: unknown) => error);
    await expect.poll(() => heard).toBeGreaterThan(3);
    const error = await frozen(async () => {
      await delay(200);
      stop.abort();
      return call;
    });
    if (!(error instanceof ModelError)) throw new Error('the call was not broken off');
    expect(error.kind).toBe('aborted');
    // Either nothing is reported, or that the frozen runner was unloaded.
    expect(error.slotRelease?.unloaded ?? true).toBe(true);
  });

  it('counts as already loaded when Model Check finds it in memory, and its load is measured otherwise', async () => {
    // Only the load matters here; check.ollama.test.ts asks a real model all probes.
    const silent: ChatReply = {
      message: { role: 'assistant', content: '' },
      doneReason: 'stop',
      timings: {},
    };
    const loadsOnly = { ...chatModel(), chat: async () => silent };
    const check = (model: string) => checkModel(loadsOnly, model, { signal, onStep: () => undefined });
    await chatModel().load({ model: 'tiny-tools', numCtx: 8192, keepAlive: '5m' }, context);
    const warm = await check(alias);
    expect(warm.conditions).toMatchObject({ already_loaded: true, context_tokens: 8192 });
    expect(warm.conditions.load_ms).toBeUndefined();
    expect(measuredFacts(warm)[0]).toEqual({ name: 'Load', value: 'already loaded' });
    await load('tiny-tools');
    const cold = await check(alias);
    expect(cold.conditions).toMatchObject({ already_loaded: false, context_tokens: 8192 });
    expect(cold.conditions.load_ms).toBeGreaterThan(50);
  });
});

it('measures a load for other runner options, although the list of models does not change', async () => {
  await load('tiny-tools');
  expect(await load('tiny-tools', { num_batch: 64 })).toMatchObject({ alreadyLoaded: false });
  expect(await load('tiny-tools', { num_batch: 64 })).toMatchObject({ alreadyLoaded: true, loadMs: 0 });
});

it('measures the load when Ollama replaces a runner that does not respond', async () => {
  await load('tiny-tools');
  const loaded = await frozen(() => load('tiny-tools'));
  expect(loaded).toMatchObject({ alreadyLoaded: false, contextTokens: 2048 });
  expect(loaded.loadMs).toBeGreaterThan(1000);
});

describe('a remote model', () => {
  let elsewhere: Server;
  const asked: string[] = [];
  beforeAll(async () => {
    elsewhere = createServer((req, res) => {
      asked.push(`${req.method} ${req.url}`);
      res.writeHead(200, { 'content-type': 'application/x-ndjson' });
      res.end(`${JSON.stringify({ message: { role: 'assistant', content: 'From afar.' }, done: true })}\n`);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    await post('/api/create', {
      model: 'far',
      from: 'gpt-oss:120b',
      remote_host: `http://127.0.0.1:${port}`,
      info: { capabilities: ['completion', 'tools'], context_length: 131_072, model_family: 'gptoss' },
      stream: false,
    });
  });
  afterAll(() => new Promise((resolve) => elsewhere.close(resolve)));

  it('is listed with its host, refused, and sent nothing', async () => {
    const servers = new ModelServers(host());
    const listed = (await listedModels(servers)).find(({ name }) => name === 'far:latest');
    const { port } = elsewhere.address() as AddressInfo;
    expect(listed).toMatchObject({
      remote: { host: `127.0.0.1:${port}`, model: 'gpt-oss:120b', allowed: false },
      memory: 'not_loaded',
    });
    const model = chatModel();
    await expect(servers.admit({ model: 'far' })).rejects.toMatchObject({ code: 'remote_model' });
    await expect(model.show('far')).rejects.toMatchObject({ code: 'remote_model' });
    await expect(load('far')).rejects.toMatchObject({ code: 'remote_model' });
    await expect(servers.render(request('far'), context)).rejects.toThrow('runs at 127.0.0.1');
    expect(asked).toEqual([]);
  });

  it('answers where it is allowed, without a load', async () => {
    const model = createOllamaChatModel({ host: host(), allowRemoteModels: true });
    expect(await model.load({ model: 'far', numCtx: 4096, keepAlive: '5m' }, context)).toMatchObject({
      alreadyLoaded: false,
      loadMs: 0,
    });
    expect(asked).toEqual([]);
    expect((await model.chat(request('far'), context)).message.content).toBe('From afar.');
    expect(asked).toEqual(['POST /api/chat']);
  });
});
