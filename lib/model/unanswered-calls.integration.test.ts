import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import type { ScenarioInput } from '../demo/scenario.ts';
import { modelErrorOf } from '../testing/model-error-of.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import type { CallContext, ChatModel, ChatRequest } from './chat-model.ts';
import { createOllamaHealth } from './health.ts';
import { type ModelError, OllamaUnavailableError } from './model-error.ts';
import type { OllamaLimits } from './ollama-connection.ts';
import { parseOllamaHost } from './ollama-host.ts';
import { MOMENT_MS } from './recent-answers.ts';

// Tests that wait for the time limit of an unanswered call.

class Server implements AsyncDisposable {
  readonly fake: FakeOllama;
  readonly model: ChatModel;

  constructor(fake: FakeOllama, limits: Partial<OllamaLimits>) {
    this.fake = fake;
    this.model = createOllamaChatModel({ host: parseOllamaHost(fake.url), ...limits });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fake.close();
  }
}

const start = async (options: FakeOllamaOptions = {}, limits: Partial<OllamaLimits> = {}) =>
  new Server(await startFakeOllama(options), limits);
const play = (step: ScenarioInput['steps'][number], more: Partial<ScenarioInput> = {}): ScenarioInput => ({
  name: 'play',
  steps: [step],
  ...more,
});
const request = (change: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'play',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  options: { num_ctx: 4096, num_predict: 2048 },
  think: false,
  stream: false,
  keepAlive: '5m',
  ...change,
});
const context = (change: Partial<CallContext> = {}): CallContext => ({
  signal: new AbortController().signal,
  timeoutMs: 20_000,
  ...change,
});
const load = { model: 'play', numCtx: 4096, keepAlive: '5m' };

describe('the slot of a call that was broken off', () => {
  const LONG = 'word '.repeat(200);
  /** Limits long enough for any machine. If another client uses the slot, the limits of the product apply. */
  const PATIENT = { idleWithinMs: 5000, slotAnswerMs: 20_000 };
  /** A slot that Ollama lost never answers. */
  const LOST = { ...PATIENT, slotAnswerMs: 300 };
  const slotServer = (change: FakeOllamaOptions = {}, limits: Partial<OllamaLimits> = PATIENT) =>
    start(
      {
        version: '0.17.4',
        parallel: 1,
        scenarios: [
          play({ reply: { content: LONG } }, { match: 'Write', pace: { ms_per_token: 5 } }),
          play({ fault: { kind: 'reset' } }, { name: 'crash', model: 'play', match: 'Crash' }),
          play({ reply: { content: 'Hello.' } }, { name: 'hello', model: 'play' }),
        ],
        ...change,
      },
      limits,
    );
  const write = request({ stream: true, messages: [{ role: 'user', content: 'Write' }] });
  const hello = request({ messages: [{ role: 'user', content: 'Say hello' }] });
  const asked = (fake: FakeOllama) =>
    fake.requests.flatMap(({ path }) => (path === '/api/generate' ? [path] : []));

  const unloads = (fake: FakeOllama) =>
    fake.requests.filter(({ body }) => (body as { keep_alive?: unknown })?.keep_alive === 0).length;

  async function breakOff(model: ChatModel): Promise<ModelError> {
    const stop = new AbortController();
    return modelErrorOf(model.chat(write, context({ signal: stop.signal, onDelta: () => stop.abort() })));
  }

  it('is seen to be free again, at the price of no token [D12, S14]', async () => {
    await using server = await slotServer();
    const { fake, model } = server;
    const { slotRelease } = await breakOff(model);
    expect(slotRelease).toEqual({ afterMs: expect.any(Number), unloaded: false });
    expect(asked(fake)).toHaveLength(1);
    expect((await model.chat(hello, context())).message.content).toBe('Hello.');
  });

  it.each(['5m', -1])(
    'one that Ollama lost is freed by unloading, with a stay of %j [S14, D7]',
    async (keepAlive) => {
      await using server = await slotServer({ losesSlots: true }, LOST);
      const { model } = server;
      const stop = new AbortController();
      const broken = await modelErrorOf(
        model.chat({ ...write, keepAlive }, context({ signal: stop.signal, onDelta: () => stop.abort() })),
      );
      expect(broken).toMatchObject({ kind: 'aborted', slotRelease: { unloaded: true } });
      expect((await model.chat(hello, context())).message.content).toBe('Hello.');
    },
  );

  it('the version is asked once, and again after the server may have been another one [S14]', async () => {
    await using server = await slotServer();
    const { fake, model } = server;
    const versions = () => fake.requests.filter(({ path }) => path === '/api/version').length;
    await breakOff(model);
    await breakOff(model);
    expect(versions()).toBe(1);

    await fetch(`${fake.url}/api/chat`, {
      method: 'POST',
      body: JSON.stringify({ model: 'play', messages: [], keep_alive: 0 }),
    });
    await sleep(MOMENT_MS); // the last answer about what is in memory is reused for this long
    await model.load(load, context());
    await breakOff(model);
    expect(versions()).toBe(2);

    const crash = request({ messages: [{ role: 'user', content: 'Crash' }] });
    expect(await modelErrorOf(model.chat(crash, context()))).toMatchObject({ kind: 'cut_off' });
    await breakOff(model);
    expect(versions()).toBe(3);
  });

  it('the limit of a call breaks it off, too [T4]', async () => {
    await using server = await slotServer({ losesSlots: true }, LOST);
    const { model } = server;
    const late = await modelErrorOf(model.chat(write, context({ timeoutMs: 300 })));
    expect(late).toMatchObject({ kind: 'timeout', slotRelease: { unloaded: true } });
    expect((await model.chat(hello, context())).message.content).toBe('Hello.');
  });

  it('a slot that another client uses is left to it [S14]', async () => {
    await using server = await slotServer({}, {});
    const { fake, model } = server;
    const release = fake.hold('hello', { turn: 0 });
    const theirs = model.chat(hello, context());
    await expect.poll(() => fake.chats.length).toBe(1);
    expect((await modelErrorOf(model.chat(write, context({ timeoutMs: 300 })))).slotRelease).toBeUndefined();
    release();
    expect((await theirs).message.content).toBe('Hello.');
    expect(fake.requests.some(({ body }) => (body as { keep_alive?: unknown })?.keep_alive === 0)).toBe(
      false,
    );
  });

  it('a model whose slot another client leaked is reloaded', async () => {
    await using server = await slotServer({ losesSlots: true }, LOST);
    const { fake, model } = server;
    const other = new AbortController();
    const body = JSON.stringify({ model: 'play', messages: write.messages, options: { num_ctx: 4096 } });
    const theirs = await fetch(`${fake.url}/api/chat`, { method: 'POST', body, signal: other.signal });
    await theirs.body?.getReader().read();
    other.abort();
    expect(await model.load(load, context())).toMatchObject({ freedSlot: true, alreadyLoaded: false });
    expect(await model.load(load, context())).toMatchObject({ alreadyLoaded: true });
    expect((await model.chat(hello, context())).message.content).toBe('Hello.');
  });

  it.each([600_000, -600_000])(
    'is seen to be free by a server whose clock is %i ms ahead, too [S14]',
    async (clockAheadMs) => {
      await using server = await slotServer({ clockAheadMs });
      const { model } = server;
      expect((await breakOff(model)).slotRelease).toEqual({ afterMs: expect.any(Number), unloaded: false });
    },
  );

  it.each<[string, FakeOllamaOptions, Partial<ChatRequest>]>([
    ['a longer stay', {}, { keepAlive: '24h' }],
    ['a stay for ever', {}, { keepAlive: -1 }],
    ['a clock ahead of ours', { clockAheadMs: 600_000 }, {}],
  ])(
    'a model that another client uses with %s is left to it, and is not loaded anew [D7]',
    async (_, change, their) => {
      await using server = await slotServer(change, {});
      const { fake, model } = server;
      await model.chat({ ...hello, ...their }, context());
      const release = fake.hold('hello', { turn: 0 });
      const theirs = model.chat({ ...hello, ...their }, context());
      await expect.poll(() => fake.chats.length).toBe(2);
      const loaded = await model.load(load, context());
      expect(loaded).toMatchObject({ alreadyLoaded: true });
      expect(loaded.freedSlot).toBeUndefined();
      release();
      expect((await theirs).message.content).toBe('Hello.');
      expect(unloads(fake)).toBe(0);
    },
  );

  it('a reply of another client that ends just after the question is no lost slot [D7]', async () => {
    await using server = await slotServer({}, { ...PATIENT, slotAnswerMs: 3000 });
    const { fake, model } = server;
    await model.chat(hello, context());
    const release = fake.hold('hello', { turn: 0 });
    const theirs = model.chat(hello, context());
    await expect.poll(() => fake.chats.length).toBe(2);
    const loading = model.load(load, context());
    const givenUp = () => fake.closeEvents.some(({ path }) => path === '/api/generate');
    await expect.poll(givenUp, { timeout: 10_000, interval: 10 }).toBe(true);
    release();
    expect(await loading).toMatchObject({ alreadyLoaded: true });
    expect((await theirs).message.content).toBe('Hello.');
    expect(unloads(fake)).toBe(0);
    expect(asked(fake)).toHaveLength(2);
  });

  it('a stop ends the question for a slot, too [S14]', async () => {
    await using server = await slotServer();
    const { fake, model } = server;
    await model.chat(hello, context());
    const release = fake.hold('hello', { turn: 0 });
    const theirs = model.chat(hello, context());
    await expect.poll(() => fake.chats.length).toBe(2);
    const stop = new AbortController();
    const loading = modelErrorOf(model.load(load, context({ signal: stop.signal })));
    await expect.poll(() => asked(fake).length).toBe(1);
    stop.abort();
    expect(await loading).toMatchObject({ kind: 'aborted' });
    release();
    await theirs;
  });

  it('a model that goes on being unloaded after the answer is loaded once it is gone', async () => {
    await using server = await slotServer({ losesSlots: true, unloadMs: 500 }, LOST);
    const { model } = server;
    expect((await breakOff(model)).slotRelease).toMatchObject({ unloaded: true });
    expect((await model.chat(hello, context())).message.content).toBe('Hello.');
    expect(await model.inMemory?.('play', new AbortController().signal)).toBeDefined();
  });

  it.each<FakeOllamaOptions>([{ version: '0.12.5' }, { models: [{ name: 'play', format: 'safetensors' }] }])(
    'asks nobody who would read a prompt that is too long: %j',
    async (options) => {
      await using server = await slotServer(options);
      const { fake, model } = server;
      expect((await breakOff(model)).slotRelease?.unloaded).toBe(false);
      expect(asked(fake)).toEqual([]);
    },
  );
});

describe('a timeout', () => {
  const scripted = () => start({ scenarios: [play({ reply: {} })] });
  const streamed = request({ stream: true });

  it('of a call to an unresponsive server is not blamed on the model', async () => {
    await using server = await scripted();
    const { fake, model } = server;
    fake.freeze();
    const error = await modelErrorOf(model.chat(streamed, context({ timeoutMs: 200 })));
    expect(error).toMatchObject({ code: 'ollama_not_responding', kind: 'unreachable', transient: false });
    expect(error.message).toBe(
      `Ollama at ${fake.url} is not responding: no complete reply within 0.2 s, and no answer to /api/version within 2 s.`,
    );
    expect(`${error.message} ${error.hint}`).not.toMatch(/slow|smaller model/);
    expect(error.cleanupMs).toBeGreaterThan(1900);
  });

  it('of a load is reported the same way', async () => {
    await using server = await scripted();
    const { fake, model } = server;
    fake.hold('play', 'load');
    const loading = modelErrorOf(model.load(load, context({ timeoutMs: 400 })));
    await expect.poll(() => fake.requests.some(({ path }) => path === '/api/chat')).toBe(true);
    fake.freeze();
    expect(await loading).toMatchObject({ code: 'ollama_not_responding' });
  });

  it('of a call remains a timeout if the server answers other requests', async () => {
    await using server = await scripted();
    const { fake, model } = server;
    fake.hold('play', { turn: 0 });
    const error = await modelErrorOf(model.chat(streamed, context({ timeoutMs: 200 })));
    expect(error).toMatchObject({ code: 'model_timeout', kind: 'timeout' });
  });

  it('excludes cleanup from the duration of the call', async () => {
    await using server = await scripted();
    const { fake, model } = server;
    // Another client keeps the model busy, so Ollama is not seen to be idle within its second.
    fake.hold('play', { turn: 0 });
    const theirs = fetch(`${fake.url}/api/chat`, {
      method: 'POST',
      body: JSON.stringify({ ...streamed, keep_alive: -1 }),
    }).catch(() => undefined);
    await expect.poll(() => fake.chats.length).toBe(1);
    const error = await modelErrorOf(model.chat(streamed, context({ timeoutMs: 300 })));
    expect(error.slotRelease).toBeUndefined();
    expect(error.cleanupMs).toBeGreaterThan(900);
    fake.forget();
    await theirs;
  });
});

it('gives up on an unresponsive server after 5 s [S1]', async () => {
  await using server = await start({ faults: { '/': { kind: 'hang' } } });
  const startedAt = performance.now();
  const health = createOllamaHealth({ host: parseOllamaHost(server.fake.url) });
  const error = await modelErrorOf(health.checkOllamaReady());
  expect(performance.now() - startedAt).toBeGreaterThan(4_900);
  expect(error).toBeInstanceOf(OllamaUnavailableError);
  expect(error).toHaveProperty('message', expect.stringContaining('no answer within 5 s'));
  await expect.poll(() => server.fake.openRequests).toBe(0);
});

it('the end of an aborted call is not reported for an alias while its slot is in use', async () => {
  await using server = await start({
    version: '0.17.4',
    parallel: 1,
    models: [{ name: 'play' }, { name: 'derived', from: 'play', context_length: 16_384 }],
    scenarios: ['play', 'derived'].map((name) => play({ reply: { content: 'Hello.' } }, { name })),
  });
  const { fake, model } = server;
  await model.load(load, context());
  const release = fake.hold('play', { turn: 0 });
  // Another client's call takes the only slot.
  const theirs = model.chat(request({ stream: true }), context());
  await expect.poll(() => fake.chats.length).toBe(1);
  const stop = new AbortController();
  const ours = modelErrorOf(
    model.chat(request({ model: 'derived', stream: true }), context({ signal: stop.signal })),
  );
  await expect.poll(() => fake.chats.length).toBe(2);
  stop.abort();
  expect(await ours).toMatchObject({ kind: 'aborted', slotRelease: undefined });
  release();
  await theirs;
});
