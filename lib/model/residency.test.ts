import { afterEach, describe, expect, it } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { connectOllama } from './ollama-connection.ts';
import { parseOllamaHost } from './ollama-host.ts';
import { listInstalled, runnerKeyIn, unloadModel } from './ollama-models.ts';
import { findRunner } from './residency.ts';

let fake: FakeOllama | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

const signal = new AbortController().signal;
const context = { signal, timeoutMs: 10_000 };
const load = (model: string, change: object = {}) => ({ model, numCtx: 4096, keepAlive: '5m', ...change });

async function start(options: FakeOllamaOptions = {}) {
  const server = await startFakeOllama({
    models: [
      { name: 'first' },
      { name: 'copy', copy_of: 'first' },
      { name: 'derived', from: 'first', context_length: 16_384 },
      { name: 'other' },
    ],
    ...options,
  });
  fake = server;
  const host = parseOllamaHost(server.url);
  return { fake: server, connection: connectOllama(host), model: createOllamaChatModel({ host }) };
}

const blob = (digit: string) => `/models/blobs/sha256-${digit.repeat(64)}`;

describe('the runner of a model', () => {
  it.each(['copy', 'derived'])('is found under the name that loaded it, for %s', async (alias) => {
    const { model } = await start();
    expect(await model.inMemory?.(alias, signal)).toEqual({ state: 'not_loaded' });
    expect(await model.load(load('first'), context)).toMatchObject({ alreadyLoaded: false });
    expect(await model.inMemory?.(alias, signal)).toMatchObject({
      state: 'loaded',
      model: { name: 'first:latest', contextTokens: 4096 },
    });
    expect(await model.inMemory?.('other', signal)).toEqual({ state: 'not_loaded' });
    expect(await model.load(load(alias), context)).toMatchObject({
      alreadyLoaded: true,
      loadMs: 0,
      contextTokens: 4096,
    });
  });

  it('is reloaded for a model with another window', async () => {
    const { model } = await start();
    await model.load(load('first'), context);
    expect(await model.load(load('derived', { numCtx: 8192 }), context)).toMatchObject({
      alreadyLoaded: false,
      contextTokens: 8192,
    });
    expect(await model.inMemory?.('first', signal)).toMatchObject({ model: { name: 'derived:latest' } });
  });

  it('is removed for all models that shared it', async () => {
    const { model, connection } = await start();
    await model.load(load('first'), context);
    await unloadModel(connection, 'derived');
    expect(await model.inMemory?.('first', signal)).toEqual({ state: 'not_loaded' });
  });

  it('is unknown if the server reports no weights, and then answers without a load', async () => {
    const { model } = await start({
      faults: { '/api/show': { kind: 'http', status: 500, body: { error: 'no' } } },
    });
    await model.load(load('first'), context);
    expect(await model.inMemory?.('derived', signal)).toEqual({ state: 'unknown' });
    expect(await model.load(load('derived'), context)).toMatchObject({
      alreadyLoaded: true,
      loadMs: 0,
      contextTokens: undefined,
    });
    // The digest of a copy is that of the model.
    expect(await model.inMemory?.('copy', signal)).toMatchObject({ state: 'loaded' });
  });

  it('is identified by name if the server lists no models', async () => {
    const { model } = await start({ faults: { '/api/tags': { kind: 'http', status: 500 } } });
    await model.load(load('first'), context);
    expect(await model.inMemory?.('First:latest', signal)).toMatchObject({ state: 'loaded' });
    expect(await model.inMemory?.('other', signal)).toEqual({ state: 'unknown' });
  });
});

it('distinguishes weights by architecture, size or quantization if their files are unknown', () => {
  const running = [{ name: 'gone:latest', digest: 'x', family: 'llama', parameterSize: '8B' }];
  const model = { name: 'here:latest', digest: 'y', family: 'llama' };
  const nobody = () => undefined;
  expect(findRunner({ ...model, parameterSize: '4B' }, running, nobody)).toEqual({ state: 'not_loaded' });
  expect(findRunner({ ...model, parameterSize: '8B' }, running, nobody)).toEqual({ state: 'unknown' });
  expect(findRunner({ ...model, remote: { host: 'ollama.com' } }, running, nobody)).toEqual({
    state: 'not_loaded',
  });
});

it('does not confuse a recreated model of the same name with the loaded one', () => {
  const running = [{ name: 'mine:latest', digest: 'old' }];
  const keys = new Map([
    ['old', 'FROM a'],
    ['new', 'FROM b'],
  ]);
  const model = { name: 'mine:latest', digest: 'new' };
  expect(findRunner(model, running, (digest) => keys.get(digest))).toEqual({ state: 'not_loaded' });
  expect(findRunner(model, running, () => 'FROM a')).toMatchObject({ state: 'loaded' });
});

it.each([
  ['weights', `# FROM x:latest\n\nFROM ${blob('a')}\nTEMPLATE x\n`, `FROM ${'a'.repeat(64)}`],
  [
    'adapters and projectors',
    `FROM ${blob('a')}\nADAPTER ${blob('b')}\nFROM ${blob('c')}\nTEMPLATE x`,
    `FROM ${'a'.repeat(64)}\nADAPTER ${'b'.repeat(64)}\nFROM ${'c'.repeat(64)}`,
  ],
  ['a Windows path', `FROM C:\\models\\blobs\\sha256-${'a'.repeat(64)}\r\n`, `FROM ${'a'.repeat(64)}`],
  [
    'no line of the template',
    `FROM ${blob('a')}\nTEMPLATE """x\nFROM ${blob('b')}\n"""`,
    `FROM ${'a'.repeat(64)}`,
  ],
  ['no file at all', '# FROM x\n\nFROM \nTEMPLATE x', ''],
  ['nothing it knows', 'FROM somewhere/else\n', undefined],
])('reads from a Modelfile %s', (_, modelfile, key) => {
  expect(runnerKeyIn(modelfile)).toBe(key);
});

describe('the end of an aborted call', () => {
  const request = (name: string) => ({
    model: name,
    messages: [{ role: 'user' as const, content: 'Hi' }],
    tools: [],
    options: { num_ctx: 4096, num_predict: 100 },
    think: false,
    stream: true,
    keepAlive: '5m',
  });
  const scenarios = ['first', 'derived'].map((name) => ({ name, steps: [{ reply: { content: 'Hello.' } }] }));

  it('is not reported for a model that is no longer listed', async () => {
    const { fake: server, model, connection } = await start({ version: '0.17.4', scenarios });
    await model.load(load('first'), context);
    server.hold('first', { turn: 0 });
    const stop = new AbortController();
    const ours = model.chat(request('first'), { ...context, signal: stop.signal }).catch((error) => error);
    await expect.poll(() => server.chats.length).toBe(1);
    await unloadModel(connection, 'first');
    stop.abort();
    expect(await ours).toMatchObject({ kind: 'aborted', slotRelease: undefined });
  });
});

it('marks remote models in the list of installed models', async () => {
  const { connection } = await start({
    models: [
      { name: 'here' },
      { name: 'far', remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' },
      { name: 'gpt-oss:120b-cloud' },
    ],
  });
  const remotes = (await listInstalled(connection)).map(({ name, remote }) => [name, remote]);
  expect(remotes).toEqual([
    ['here:latest', undefined],
    ['far:latest', { host: 'ollama.com', model: 'gpt-oss:120b' }],
    ['gpt-oss:120b-cloud', { host: 'ollama.com' }],
  ]);
});
