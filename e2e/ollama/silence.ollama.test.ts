import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChatRequest } from '../../lib/model/chat-model.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { ModelServers } from '../../lib/models/model-servers.ts';
import { modelErrorOf } from '../../lib/testing/model-error-of.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

// Loupe's messages about an Ollama whose processes are suspended (SIGSTOP): connections are accepted, nothing
// is answered.

let ollama: RealOllama;
let servers: ModelServers;
beforeAll(async () => {
  ollama = await startOllama();
  servers = new ModelServers(parseOllamaHost(ollama.url));
});
afterAll(async () => {
  await servers?.close();
  await ollama?.stop();
});

const request: ChatRequest = {
  model: 'tiny-tools',
  messages: [{ role: 'user', content: 'Write the long story.' }],
  tools: [],
  options: { num_ctx: 4096, num_predict: 4000, temperature: 0 },
  think: false,
  stream: true,
  keepAlive: '5m',
};

it('attributes a call and a load that take too long to the server that does not respond', async () => {
  const model = createOllamaChatModel({ host: parseOllamaHost(ollama.url) });
  const { signal } = new AbortController();
  const wanted = { model: 'tiny-tools', numCtx: 4096, keepAlive: '5m' };
  await model.load(wanted, { signal, timeoutMs: 60_000 });
  const resume = ollama.suspend();
  try {
    const error = await modelErrorOf(model.chat(request, { signal, timeoutMs: 1000 }));
    expect(error).toMatchObject({ code: 'ollama_not_responding', transient: false });
    expect(await modelErrorOf(model.ping(signal))).toMatchObject({ code: 'ollama_not_responding' });
    const loading = model.load(wanted, { signal, timeoutMs: 1000 });
    expect(await modelErrorOf(loading)).toMatchObject({ code: 'ollama_not_responding' });
  } finally {
    resume();
  }
  expect((await model.ping(signal)).version).toBeDefined();
});

it('answers for health and the list of models within a second, and notices when the server continues', async () => {
  expect(await servers.check('tiny-tools')).toMatchObject({ ollama: { ok: true }, model: { ok: true } });
  const names = (await servers.list()).models.map(({ name }) => name);
  const resume = ollama.suspend();
  try {
    const [health, list] = await Promise.all([servers.check('tiny-tools'), servers.list()]);
    expect(health).toMatchObject({ ollama: { unknown: true }, model: { unknown: true } });
    expect(list).toMatchObject({ ollama: 'unknown' });
    expect(list.models.map(({ name }) => name)).toEqual(names);
  } finally {
    resume();
  }
  await expect
    .poll(async () => (await servers.check('tiny-tools')).ollama.ok, { timeout: 10_000 })
    .toBe(true);
});

it('suggests an installed model instead of a missing one, and refuses an invalid name', async () => {
  const model = createOllamaChatModel({ host: parseOllamaHost(ollama.url) });
  const missing = await modelErrorOf(model.show('tiny-tool'));
  expect(missing).toMatchObject({ code: 'model_missing', transient: false });
  expect(missing.message).toBe('Model "tiny-tool" is missing. Did you mean "tiny-tools"?');
  const invalid = await modelErrorOf(model.show('tiny tools'));
  expect(invalid).toMatchObject({ status: ollama.usesLlamaServer ? 400 : 500, transient: false });
});
