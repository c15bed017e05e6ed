import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from './fake-ollama.ts';
import { faultScenarios } from './fault-scenarios.ts';
import { instantScenario, type ScenarioInput } from './scenario.ts';

const open: FakeOllama[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});
async function start(options: FakeOllamaOptions = {}): Promise<FakeOllama> {
  const fake = await startFakeOllama(options);
  open.push(fake);
  return fake;
}
const post = (fake: FakeOllama, path: string, body: object, signal?: AbortSignal) =>
  fetch(`${fake.url}${path}`, { method: 'POST', body: JSON.stringify(body), signal });

const user = (content: string) => ({ role: 'user', content });
const chat = async (fake: FakeOllama, change: object = {}) => {
  const response = await post(fake, '/api/chat', {
    model: 'play',
    messages: [user('task')],
    stream: false,
    ...change,
  });
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
};
const saying = (name: string, content: string, more: Partial<ScenarioInput> = {}): ScenarioInput => ({
  name,
  steps: [{ reply: { content } }],
  ...more,
});

describe('the wire', () => {
  it('greets, tells its version and knows no other paths', async () => {
    const fake = await start();
    expect(await (await fetch(fake.url)).text()).toBe('Ollama is running');
    expect(await (await fetch(`${fake.url}/api/version`)).json()).toEqual({ version: '0.0.0-fake' });
    const missing = await fetch(`${fake.url}/v1/models`);
    expect([missing.status, await missing.text()]).toEqual([404, '404 page not found']);
  });

  it('lists what it has, and shows it', async () => {
    const fake = await start({
      models: [{ name: 'big:70b', context_length: 8192 }],
      scenarios: [saying('play', 'Hi.')],
    });
    const tags = z
      .object({ models: z.array(z.object({ name: z.string() })) })
      .parse(await (await fetch(`${fake.url}/api/tags`)).json());
    expect(tags.models.map(({ name }) => name)).toEqual(['big:70b', 'play:latest']);
    expect(await (await post(fake, '/api/show', { model: 'big:70b' })).json()).toMatchObject({
      model_info: { 'fake.context_length': 8192 },
      capabilities: ['completion', 'tools', 'thinking'],
    });
    const missing = await post(fake, '/api/show', { model: 'nope' });
    expect([missing.status, await missing.json()]).toEqual([404, { error: "model 'nope' not found" }]);
  });

  it('streams by default, line by line, as Ollama does', async () => {
    const fake = await start({ scenarios: [saying('play', 'Hello there')] });
    const response = await post(fake, '/api/chat', { model: 'play', messages: [user('task')] });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ message, done }) => [message.content, done])).toEqual([
      ['Hello', false],
      [' there', false],
      ['', true],
    ]);
    expect(lines[2]).toMatchObject({ done_reason: 'stop', eval_count: 3, model: 'play' });
  });

  it('loads, keeps and unloads', async () => {
    const fake = await start({ scenarios: [saying('play', 'Hi.', { pace: { load_ms: 40 } })] });
    const running = async () =>
      z
        .object({ models: z.array(z.object({ context_length: z.number() })) })
        .parse(await (await fetch(`${fake.url}/api/ps`)).json()).models;
    expect(await chat(fake, { messages: [], options: { num_ctx: 2048 } })).toMatchObject({
      body: { done_reason: 'load' },
    });
    expect(await running()).toMatchObject([{ context_length: 2048 }]);
    expect((await chat(fake, { options: { num_ctx: 2048 } })).body.load_duration).toBe(0);
    expect((await chat(fake, { options: { num_ctx: 1024 } })).body.load_duration).toBe(40_000_000);
    expect(await chat(fake, { messages: [], keep_alive: 0 })).toMatchObject({
      body: { done_reason: 'unload' },
    });
    expect(await running()).toEqual([]);
    await chat(fake, { keep_alive: 0 });
    expect(await running()).toEqual([]);
  });

  it('OL3: with truncate: false a long prompt is refused, otherwise it is cut in silence', async () => {
    const fake = await start({ scenarios: [saying('play', 'Hi.')] });
    const long = { messages: [user('word '.repeat(2000))], options: { num_ctx: 512 } };
    const refused = await chat(fake, { ...long, truncate: false });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain('"n_ctx":512');
    expect(await chat(fake, long)).toMatchObject({ status: 200, body: { prompt_eval_count: 512 } });
  });

  it('ends a reply at num_predict, or at the window without shift', async () => {
    const fake = await start({ scenarios: [saying('play', 'word '.repeat(900))] });
    expect((await chat(fake, { options: { num_predict: 20 } })).body).toMatchObject({
      done_reason: 'length',
      eval_count: 20,
    });
    const full = await chat(fake, { options: { num_ctx: 512 }, shift: false });
    expect(full.body.done_reason).toBe('length');
    expect(Number(full.body.prompt_eval_count) + Number(full.body.eval_count)).toBe(512);
  });

  it('OL16: queues chats, and is busy when the queue is full', async () => {
    const fake = await start({
      parallel: 1,
      maxQueue: 1,
      scenarios: [saying('play', 'Hi.', { pace: { prompt_ms: 80 } })],
    });
    const answers = await Promise.all([chat(fake), chat(fake), chat(fake)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    expect((await chat(fake)).status).toBe(200);
  });
});

describe('the choice of a scenario', () => {
  it('goes by the model, then by the first user message, then by the tools', async () => {
    const tool = { type: 'function', function: { name: 'read_file', description: '', parameters: {} } };
    const fake = await start({
      models: [{ name: 'any' }],
      scenarios: [
        saying('a', 'with tools', { model: 'm', needs_tools: ['read_file'] }),
        saying('b', 'without tools', { model: 'm' }),
        saying('c', 'about cats', { match: 'cats' }),
      ],
    });
    const said = async (change: object) =>
      z.object({ content: z.string() }).parse((await chat(fake, change)).body.message).content;
    expect(await said({ model: 'm', tools: [tool] })).toBe('with tools');
    expect(await said({ model: 'm' })).toBe('without tools');
    expect(await said({ model: 'fake:b' })).toBe('without tools');
    expect(await said({ model: 'any', messages: [user('I like cats.')] })).toBe('about cats');
    expect(await said({ model: 'any', messages: [user('I like dogs.')] })).toContain('no scenario');
    expect((await chat(fake, { model: 'other' })).status).toBe(404);
  });

  it('the same conversation gets the same answer, in whatever order and from a new server too', async () => {
    const scenarios = [
      { name: 'play', steps: [{ reply: { content: 'one' } }, { reply: { content: 'two' } }] },
    ];
    const [first, second] = [await start({ scenarios }), await start({ scenarios })];
    const later = { messages: [user('task'), { role: 'assistant', content: 'one' }, user('go on')] };
    const contents = [];
    for (const [fake, change] of [
      [first, {}],
      [first, later],
      [first, {}],
      [second, later],
      [second, {}],
    ] as const) {
      contents.push((await chat(fake, change)).body.message);
    }
    expect(contents).toMatchObject(['one', 'two', 'one', 'two', 'one'].map((content) => ({ content })));
  });

  it('`attempts` are the exception: they count how often a conversation was sent', async () => {
    const fake = await start({
      scenarios: [
        {
          name: 'play',
          steps: [{ attempts: [{ fault: { kind: 'busy' } }, { reply: { content: 'Now.' } }] }],
        },
      ],
    });
    expect((await chat(fake)).status).toBe(503);
    expect((await chat(fake)).status).toBe(200);
    expect((await chat(fake)).status).toBe(200);
    expect((await chat(fake, { messages: [user('another task')] })).status).toBe(503);
  });

  it('an expectation that is not met is a 500 and a problem on record', async () => {
    const expect_ = {
      last_role: 'tool',
      last_contains: '"success":true',
      offers: ['read_file'],
      body: { think: false },
    };
    const fake = await start({
      scenarios: [
        { name: 'play', steps: [{ expect: expect_, reply: { content: 'Good.' } }], after_last: 'error' },
      ],
    });
    expect((await chat(fake)).status).toBe(500);
    expect((await chat(fake, { messages: [user('x'), { role: 'assistant', content: '' }] })).status).toBe(
      500,
    );
    expect(fake.problems).toEqual([
      expect.stringContaining('should be of "tool"'),
      expect.stringContaining('no step for turn 1'),
    ]);
    const met = {
      messages: [user('task'), { role: 'tool', content: '{"success":true}' }],
      tools: [{ type: 'function', function: { name: 'read_file' } }],
      think: false,
    };
    expect((await chat(fake, met)).status).toBe(200);
  });
});

describe('the record', () => {
  it('keeps requests with scenario, turn and end', async () => {
    const fake = await start({ scenarios: [saying('play', 'Hi.')] });
    await fetch(fake.url);
    await chat(fake);
    expect(fake.requests).toMatchObject([
      { method: 'GET', path: '/', body: undefined },
      { method: 'POST', path: '/api/chat', scenario: 'play', turn: 0 },
    ]);
    await expect.poll(() => fake.requests.map(({ endedBy }) => endedBy)).toEqual(['server', 'server']);
    expect(fake.chats).toHaveLength(1);
    expect(fake.closeEvents).toEqual([]);
  });

  it('notices a client that leaves, and where', async () => {
    const fake = await start({ scenarios: [saying('play', 'Hi.', { pace: { prompt_ms: 10_000 } })] });
    const controller = new AbortController();
    const left = post(
      fake,
      '/api/chat',
      { model: 'play', messages: [user('task')] },
      controller.signal,
    ).catch(() => 'left');
    await expect.poll(() => fake.requests.length).toBe(1);
    controller.abort();
    expect(await left).toBe('left');
    await expect.poll(() => fake.closeEvents).toMatchObject([{ path: '/api/chat', phase: 'reply' }]);
    expect(fake.requests[0]?.endedBy).toBe('client');
  });

  it('keeps nothing when told so', async () => {
    const fake = await start({ record: false, scenarios: [saying('play', 'Hi.')] });
    await chat(fake);
    expect(fake.requests).toEqual([]);
  });

  it('close drops open connections and frees the port', async () => {
    const fake = await start({ scenarios: [...faultScenarios] });
    const hanging = post(fake, '/api/chat', { model: 'fake:hang', messages: [user('task')] }).catch(
      () => 'dropped',
    );
    await expect.poll(() => fake.requests.length).toBe(1);
    await fake.close();
    expect(await hanging).toBe('dropped');
    const again = await start({ port: fake.port, scenarios: [saying('play', 'Hi.')] });
    expect((await chat(again)).status).toBe(200);
  });
});

it('a held scenario waits where it was told to, until it is let go', async () => {
  const fake = await start({ scenarios: [saying('play', 'One two three four five.')] });
  const release = fake.hold('play', { turn: 0, afterTokens: 2 });
  const answer = await post(fake, '/api/chat', { model: 'play', messages: [user('task')] });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('two')) text += (await reader?.read())?.value ?? '';
  expect(text).not.toContain('three');
  release();
  for (let piece = await reader?.read(); !piece?.done; piece = await reader?.read())
    text += piece?.value ?? '';
  expect(text).toContain('five');

  const releaseLoad = fake.hold('again', 'load');
  fake.add(saying('again', 'Here.'));
  const loading = chat(fake, { model: 'again' });
  expect(await Promise.race([loading, new Promise((done) => setTimeout(done, 100, 'waits'))])).toBe('waits');
  releaseLoad();
  expect((await loading).status).toBe(200);
});

it('refuses a scenario that another one would always play for, and forgets them all on request', async () => {
  const fake = await start({ scenarios: [saying('play', 'Hi.')] });
  fake.add(saying('play', 'Hi.'));
  expect(() => fake.add(saying('play', 'Ho.'))).toThrow('"play" would never be played');
  expect(() => fake.add(saying('other', 'Ho.', { model: 'play:latest' }))).toThrow('"play" has its name');
  fake.add(saying('poem', 'Roses.', { model: 'poet', match: 'rose' }));
  fake.add(saying('prose', 'Once.', { model: 'poet' }));
  expect((await chat(fake, { model: 'poet' })).body).toMatchObject({ message: { content: 'Once.' } });

  fake.hold('prose', { turn: 0 });
  const held = chat(fake, { model: 'poet' });
  await expect.poll(() => fake.chats.length).toBe(2);
  fake.forget();
  expect((await held).status).toBe(200);
  expect(await (await fetch(`${fake.url}/api/tags`)).json()).toEqual({ models: [] });
  fake.add(saying('play', 'Ho.'));
  expect((await chat(fake)).body).toMatchObject({ message: { content: 'Ho.' } });
});

it('every fault of the matrix is a model of its own', async () => {
  const fake = await start({ scenarios: [...faultScenarios] });
  const tags = z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .parse(await (await fetch(`${fake.url}/api/tags`)).json());
  expect(tags.models.length).toBe(faultScenarios.length);
  expect((await chat(fake, { model: 'fake:busy' })).status).toBe(503);
  expect((await chat(fake, { model: 'fake:http-500-once' })).status).toBe(500);
  expect((await chat(fake, { model: 'fake:http-500-once' })).status).toBe(200);
});

it('the instant scenario answers hundreds of requests a second', async () => {
  const fake = await start({ scenarios: [instantScenario(200)], record: false });
  const messages: object[] = [user('task')];
  const startedAt = performance.now();
  for (let turn = 0; turn <= 200; turn += 1) {
    const { body } = await chat(fake, { model: 'instant', messages });
    messages.push(z.looseObject({}).parse(body.message), { role: 'tool', content: '{"success":true}' });
  }
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(messages.at(-2)).toMatchObject({ content: 'The task is completed.' });
});
