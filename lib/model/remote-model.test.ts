import { afterEach, describe, expect, it } from 'vitest';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import type { ChatRequest } from './chat-model.ts';
import { connectOllama } from './ollama-connection.ts';
import { parseOllamaHost } from './ollama-host.ts';
import { renderPrompt } from './ollama-render.ts';
import { readRemote } from './remote-model.ts';

it.each([
  ['https://ollama.com:443', 'ollama.com'],
  ['http://10.0.0.7:11434/api', '10.0.0.7:11434'],
  ['https://user:secret@models.example/x?y#z', 'models.example'],
  ['https://ollamа.com', 'xn--ollam-8ve.com'],
  ['https://ollama.com\u202e/evil', 'an unknown host'],
  ['\u001b[2J<script>', 'an unknown host'],
  ['', 'an unknown host'],
  [`https://${'a'.repeat(300)}.com`, 'an unknown host'],
])('shows only the host of %j', (remote_host, host) => {
  expect(readRemote('m', { remote_host })).toEqual({ host });
});

it('shows the remote model name if it is plain text', () => {
  const told = { remote_host: 'https://ollama.com', remote_model: 'gpt-oss:120b' };
  expect(readRemote('m', told)).toEqual({ host: 'ollama.com', model: 'gpt-oss:120b' });
  expect(readRemote('m', { ...told, remote_model: 'gpt\u202eoss' })).toEqual({ host: 'ollama.com' });
  expect(readRemote('m', { remote_model: 'x' })).toEqual({ host: 'an unknown host', model: 'x' });
});

it.each([
  ['gpt-oss:120b-cloud', true],
  ['glm-4.6:cloud', true],
  ['owner/name:CLOUD', true],
  ['gpt-oss:20b:cloud', true],
  ['gpt-oss: cloud', true],
  ['gpt-oss:20b-cloud ', true],
  ['localhost:5000/team/my-cloud', false],
  ['cloud', false],
  ['my-cloud:8b', false],
  ['mycloud:latest', false],
  ['x:notcloud', false],
])('recognizes the cloud model name %s: %s', (name, isRemote) => {
  expect(readRemote(name, {}) !== undefined).toBe(isRemote);
});

const signal = new AbortController().signal;
const context = { signal, timeoutMs: 5_000 };

let fake: FakeOllama;
afterEach(() => fake?.close());

async function start(options: { allowRemoteModels?: boolean } = {}) {
  fake = await startFakeOllama({
    models: [
      { name: 'near', capabilities: ['completion'] },
      { name: 'far', remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' },
    ],
    scenarios: [{ name: 'answer', model: 'far', steps: [{ reply: { content: 'From afar.' } }] }],
  });
  const host = parseOllamaHost(fake.url);
  return { host, model: createOllamaChatModel({ host, ...options }) };
}

function request(model: string): ChatRequest {
  return {
    model,
    messages: [{ role: 'user', content: 'A secret' }],
    tools: [],
    options: { num_ctx: 4096, num_predict: 64 },
    think: false,
    stream: true,
    keepAlive: '5m',
  };
}

describe('a remote model', () => {
  const refusal = {
    code: 'remote_model',
    transient: false,
    message: expect.stringContaining('runs at ollama.com'),
    hint: expect.stringContaining('LOUPE_ALLOW_REMOTE_MODELS=1'),
  };

  it('is rejected before any data is sent', async () => {
    const { host, model } = await start();
    await expect(model.show('far')).rejects.toMatchObject(refusal);
    await expect(model.load({ model: 'far', numCtx: 4096, keepAlive: '5m' }, context)).rejects.toMatchObject(
      refusal,
    );
    await expect(
      model.load({ model: 'new:cloud', numCtx: 4096, keepAlive: '5m' }, context),
    ).rejects.toMatchObject(refusal);
    await expect(
      model.embed({ model: 'far', texts: ['A secret'], keepAlive: '5m' }, context),
    ).rejects.toMatchObject(refusal);
    await expect(renderPrompt(connectOllama(host), request('far'), context)).rejects.toThrow(
      'rendered there',
    );
    expect(JSON.stringify(fake.requests)).not.toContain('secret');
    expect(fake.requests.filter(({ path }) => path === '/api/chat')).toEqual([]);
  });

  it('is rejected during a run if the name now refers to one', async () => {
    const { model } = await start();
    await expect(model.chat(request('far'), context)).rejects.toMatchObject(refusal);
    // The look before the next call finds it not loaded, so that the run loads it, which is refused.
    await model.load({ model: 'near', numCtx: 4096, keepAlive: '5m' }, context);
    expect(await model.inMemory?.('far', signal)).toEqual({ state: 'not_loaded' });
  });

  it('answers if allowed, and is not loaded', async () => {
    const { model } = await start({ allowRemoteModels: true });
    expect(await model.show('far')).toMatchObject({ remote: { host: 'ollama.com', model: 'gpt-oss:120b' } });
    expect(await model.load({ model: 'far', numCtx: 4096, keepAlive: '5m' }, context)).toEqual({
      loadMs: 0,
      alreadyLoaded: false,
      remoteHost: 'ollama.com',
    });
    expect((await model.chat(request('far'), context)).message.content).toBe('From afar.');
    expect(await model.inMemory?.('far', signal)).toEqual({ state: 'not_loaded' });
  });

  it('never has its prompt rendered, even if allowed', async () => {
    const { host } = await start();
    const connection = connectOllama(host, {}, { allowRemoteModels: true });
    await expect(renderPrompt(connection, request('far'), context)).rejects.toThrow('runs at ollama.com');
    expect(fake.requests.filter(({ path }) => path === '/api/chat')).toEqual([]);
  });
});
