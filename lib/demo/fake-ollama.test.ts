import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { instantScenario } from '../testing/instant-scenario.ts';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from './fake-ollama.ts';
import { faultScenarios } from './fault-scenarios.ts';
import type { ScenarioInput } from './scenario.ts';

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

describe('the HTTP API', () => {
  it('answers /, reports its version, and has no other paths', async () => {
    const fake = await start();
    expect(await (await fetch(fake.url)).text()).toBe('Ollama is running');
    expect(await (await fetch(`${fake.url}/api/version`)).json()).toEqual({ version: '0.0.0-fake' });
    const missing = await fetch(`${fake.url}/v1/models`);
    expect([missing.status, await missing.text()]).toEqual([404, '404 page not found']);
  });

  it('lists its models, and shows them', async () => {
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

  it('reports copies, models made FROM another and remote models like 0.17.4', async () => {
    const fake = await start({
      models: [
        { name: 'first' },
        { name: 'copy', copy_of: 'first' },
        { name: 'derived', from: 'first' },
        {
          name: 'far',
          family: 'gptoss',
          remote_host: 'https://ollama.com:443',
          remote_model: 'gpt-oss:120b',
        },
      ],
    });
    const listed = z
      .object({ models: z.array(z.looseObject({ name: z.string(), digest: z.string(), details: z.json() })) })
      .parse(await (await fetch(`${fake.url}/api/tags`)).json()).models;
    const [first, copy, derived, far] = listed;
    expect(copy?.digest).toBe(first?.digest);
    expect(derived?.digest).not.toBe(first?.digest);
    expect(far).toMatchObject({ remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' });
    expect(far?.details).toEqual({
      parent_model: '',
      format: '',
      family: 'gptoss',
      families: ['gptoss'],
      parameter_size: '',
      quantization_level: '',
    });
    const modelfile = async (model: string) =>
      z.object({ modelfile: z.string() }).parse(await (await post(fake, '/api/show', { model })).json())
        .modelfile;
    const weights = /^FROM \S*sha256-[0-9a-f]{64}$/m.exec(await modelfile('first'))?.[0];
    expect(weights).toBeDefined();
    expect(await modelfile('copy')).toContain(weights);
    expect(await modelfile('derived')).toContain(weights);
    expect(await modelfile('far')).toMatch(/^FROM $/m);
    expect((await chat(fake, { model: 'far' })).body).toMatchObject({
      remote_host: 'https://ollama.com:443',
      remote_model: 'gpt-oss:120b',
    });
  });

  it('streams by default, line by line, like Ollama', async () => {
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

  it('with truncate: false a long prompt is refused, otherwise it is silently truncated [OL3]', async () => {
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

  it('queues chats, and is busy when the queue is full [OL16]', async () => {
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

describe('choosing a scenario', () => {
  it('matches by model, then by the first user message, then by the tools', async () => {
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

  it('the same conversation gets the same answer, in any order and from a new server', async () => {
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

  it('an unmet expectation is a 500 and a recorded problem', async () => {
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

  it('records where a client disconnected', async () => {
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

  it('records nothing with record: false', async () => {
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

it('a held scenario waits at the given point until it is released', async () => {
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

it('rejects a scenario that another one always shadows, and can remove all scenarios', async () => {
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

it('every fault of the matrix is a separate model', async () => {
  const fake = await start({ scenarios: [...faultScenarios] });
  const tags = z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .parse(await (await fetch(`${fake.url}/api/tags`)).json());
  expect(tags.models.length).toBe(faultScenarios.length);
  expect((await chat(fake, { model: 'fake:busy' })).status).toBe(503);
  expect((await chat(fake, { model: 'fake:http-500-once' })).status).toBe(500);
  expect((await chat(fake, { model: 'fake:http-500-once' })).status).toBe(200);
});

it('the instant scenario answers hundreds of requests', async () => {
  const fake = await start({ scenarios: [instantScenario(200)], record: false });
  const messages: object[] = [user('task')];
  for (let turn = 0; turn <= 200; turn += 1) {
    const { body } = await chat(fake, { model: 'instant', messages });
    messages.push(z.looseObject({}).parse(body.message), { role: 'tool', content: '{"success":true}' });
  }
  expect(messages.at(-2)).toMatchObject({ content: 'The task is completed.' });
});
