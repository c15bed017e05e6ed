import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallContext, ChatDelta, ChatModel, ChatRequest } from '../../lib/model/chat-model.ts';
import { createOllamaHealth, type OllamaHealth } from '../../lib/model/health.ts';
import { ModelNotAvailableError } from '../../lib/model/model-error.ts';
import { connectOllama } from '../../lib/model/ollama-connection.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { listRunning, unloadModel } from '../../lib/model/ollama-models.ts';
import { renderPrompt } from '../../lib/model/ollama-render.ts';
import type { ToolDefinition } from '../../lib/parser/types.ts';
import { judgeAnswer } from '../../lib/policies/judge-answer.ts';
import { modelErrorOf } from '../../lib/testing/model-error-of.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
let model: ChatModel;
let health: OllamaHealth;
beforeAll(async () => {
  ollama = await startOllama();
  const host = parseOllamaHost(ollama.url);
  model = createOllamaChatModel({ host });
  health = createOllamaHealth({ host });
});
afterAll(() => ollama?.stop());

const tool = (name: string, properties: Record<string, { type: string }>): ToolDefinition => ({
  type: 'function',
  function: {
    name,
    description: name,
    parameters: { type: 'object', properties, required: Object.keys(properties) },
  },
});
const tools = [
  tool('read_file', { path: { type: 'string' } }),
  tool('write_file', { path: { type: 'string' }, content: { type: 'string' } }),
  tool('list_directory', { path: { type: 'string' } }),
];
const ask = (text: string, change: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'tiny-tools',
  messages: [
    { role: 'system', content: 'You are a careful agent.' },
    { role: 'user', content: text },
  ],
  tools,
  options: { num_ctx: 4096, num_predict: 400, temperature: 0, seed: 1 },
  think: false,
  stream: false,
  keepAlive: '5m',
  ...change,
});
const context = (change: Partial<CallContext> = {}): CallContext => ({
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  ...change,
});

describe('questions', () => {
  it('server and model are found [S1, S2]', async () => {
    const ready = await health.checkOllamaReady({ model: 'tiny-tools' });
    expect(ready).toMatchObject({
      version: expect.any(String),
      model: { capabilities: ['completion', 'tools', 'thinking'], maxContextTokens: 8192, family: 'llama' },
    });
  });

  it('the error for a missing model says how to get it [S2]', async () => {
    const error = await modelErrorOf(health.checkOllamaReady({ model: 'no-such-model' }));
    expect(error).toBeInstanceOf(ModelNotAvailableError);
    expect(error).toMatchObject({ kind: 'model_missing', status: 404 });
    expect(error.message).toContain('ollama pull no-such-model');
  });

  it('lists the models with their capabilities', async () => {
    const models = (await health.listModels()).models;
    expect(models.map(({ name, capabilities }) => [name, capabilities]).sort()).toEqual([
      ['tiny-plain:latest', ['completion']],
      ['tiny-tools:latest', ['completion', 'tools', 'thinking']],
    ]);
    expect(models.every(({ digest, sizeBytes }) => digest && (sizeBytes ?? 0) > 1_000_000)).toBe(true);
  });

  it('loading is a separate phase and reports the effective window [K-25]', async () => {
    const load = (numCtx: number) => model.load({ model: 'tiny-tools', numCtx, keepAlive: '5m' }, context());
    expect(await load(2048)).toMatchObject({ contextTokens: 2048, alreadyLoaded: false });
    expect(await load(2048)).toMatchObject({ contextTokens: 2048, alreadyLoaded: true, loadMs: 0 });
    expect(await load(32_768)).toMatchObject({ contextTokens: 8192, alreadyLoaded: false });
    expect(await load(4096)).toMatchObject({ contextTokens: 4096, alreadyLoaded: false });
    expect(await health.listRunningModels()).toMatchObject([
      {
        name: 'tiny-tools:latest',
        contextTokens: 4096,
        vramBytes: expect.any(Number),
        expiresAt: expect.any(String),
      },
    ]);
  });
});

describe.each([false, true])('chat, stream: %s', (stream) => {
  it('calls a tool, and answers after its result [T3]', async () => {
    const first = await model.chat(ask('Read alpha.md', { stream }), context());
    expect(first.message.tool_calls).toMatchObject([
      { function: { name: 'read_file', arguments: { path: 'alpha.md' } } },
    ]);
    expect(first).toMatchObject({ doneReason: 'stop', message: { role: 'assistant', content: '' } });
    expect(first.promptTokens).toBeGreaterThan(10);
    expect(first.replyTokens).toBeGreaterThan(5);
    expect(first.timings.totalMs).toBeGreaterThan(0);

    const messages: ChatRequest['messages'] = [
      ...ask('Read alpha.md').messages,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'read_file', arguments: { path: 'alpha.md' } } }],
      },
      {
        role: 'tool',
        tool_name: 'read_file',
        content: '{"success":true,"tool":"read_file","output":"# Alpha"}',
      },
    ];
    const second = await model.chat(ask('', { messages, stream }), context());
    expect(second.message.tool_calls).toBeUndefined();
    expect(second.message.content.length).toBeGreaterThan(5);
  });

  it('returns two calls of one reply [S7]', async () => {
    const { message } = await model.chat(ask('Read alpha.md twice', { stream }), context());
    expect(message.tool_calls).toMatchObject([
      { function: { name: 'read_file' } },
      { function: { name: 'list_directory' } },
    ]);
  });

  it('thinking is separate from the text, and can be switched off [S8]', async () => {
    const thinking = await model.chat(ask('Read alpha.md', { stream, think: true }), context());
    expect(thinking.message.thinking?.length).toBeGreaterThan(3);
    expect(thinking.message.content).not.toContain('think');
    const silent = await model.chat(ask('Read alpha.md', { stream, think: false }), context());
    expect(silent.message.thinking).toBeUndefined();
  });

  it('num_predict ends the reply with `length` [T20]', async () => {
    const options = { ...ask('').options, num_predict: 30 };
    const reply = await model.chat(ask('Write an endless text', { stream, tools: [], options }), context());
    expect(reply).toMatchObject({ doneReason: 'length', replyTokens: 30 });
  });

  it('a reply with a `format` is JSON that fits the schema, whatever the model would write', async () => {
    const schema = {
      type: 'object',
      properties: { verdict: { type: 'string', enum: ['good', 'bad'] }, sure: { type: 'boolean' } },
      required: ['verdict', 'sure'],
    };
    const reply = await model.chat(ask('LIST the files', { tools: [], format: schema }), context());
    const check = { type: 'answer_schema', schema } as const;
    expect(judgeAnswer(check, reply.message.content)).toMatchObject({ passed: true });
    expect(reply.message.tool_calls).toBeUndefined();
  });

  it('a prompt that does not fit is refused, not cut [OL3, OL22]', async () => {
    const messages = [{ role: 'user' as const, content: 'All work and no play. '.repeat(400) }];
    const options = { ...ask('').options, num_ctx: 512 };
    const error = await modelErrorOf(
      model.chat(ask('', { messages, tools: [], options, stream }), context()),
    );
    expect(error).toMatchObject({ kind: 'overflow', status: 400, transient: false });
  });

  it('a swallowed call comes through as an empty reply with tokens', async () => {
    const reply = await model.chat(ask('Read alpha.md with a broken call.', { stream }), context());
    expect(reply.message).toEqual({ role: 'assistant', content: '' });
    expect(reply.replyTokens).toBeGreaterThan(0);
  });

  it('an unsupported capability has its own kind of error', async () => {
    const plain = { model: 'tiny-plain', stream };
    expect((await modelErrorOf(model.chat(ask('Hello', plain), context()))).kind).toBe('no_tool_support');
    const thinking = ask('Hello', { ...plain, tools: [], think: true });
    expect((await modelErrorOf(model.chat(thinking, context()))).kind).toBe('no_thinking_support');
    const answer = await model.chat(ask('Hello', { ...plain, tools: [] }), context());
    expect(answer.message.content).toContain('Hello');
  });

  it('404: the error names the model to pull', async () => {
    const error = await modelErrorOf(model.chat(ask('Hello', { model: 'no-such-model', stream }), context()));
    expect(error).toMatchObject({ kind: 'model_missing', hint: 'Run: ollama pull no-such-model' });
  });

  it('the limit ends an endless reply, and the next call works [T4]', async () => {
    const options = { ...ask('').options, num_predict: 3500 };
    const endless = ask('Write an endless text', { stream, tools: [], options });
    const startedAt = performance.now();
    const error = await modelErrorOf(model.chat(endless, context({ timeoutMs: 700 })));
    expect(error.kind).toBe('timeout');
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    await expectIdle();
  });

  it('a stop frees the model within a second', async () => {
    const controller = new AbortController();
    const options = { ...ask('').options, num_predict: 3500 };
    const endless = ask('Write an endless text', { stream, tools: [], options });
    const pending = modelErrorOf(model.chat(endless, context({ signal: controller.signal })));
    await new Promise((resolve) => setTimeout(resolve, 400));
    controller.abort();
    expect((await pending).kind).toBe('aborted');
    await expectIdle();
  });
});

/** With one slot (`OLLAMA_NUM_PARALLEL=1`) a call is answered soon only if the previous one was really aborted. */
async function expectIdle(): Promise<void> {
  const startedAt = performance.now();
  const reply = await model.chat(ask('Read alpha.md'), context());
  expect(reply.message.tool_calls).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(8_000);
}

describe('streaming', () => {
  it('text arrives piece by piece, and adds up to the reply [S6]', async () => {
    const deltas: ChatDelta[] = [];
    const reply = await model.chat(
      ask('Hello', { stream: true, tools: [], think: true }),
      context({
        onDelta: (delta) => void deltas.push(delta),
      }),
    );
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.map(({ text }) => text ?? '').join('')).toBe(reply.message.content);
    expect(deltas.map(({ thinking }) => thinking ?? '').join('')).toBe(reply.message.thinking);
  });

  it('a model that repeats one token is stopped by Ollama without a last line: `cut_off`', async () => {
    const error = await modelErrorOf(
      model.chat(ask('Write blank lines', { stream: true, tools: [] }), context()),
    );
    expect(error.kind).toBe('cut_off');
  });
});

it('a stop during a load ends it, and the model can be loaded afterwards [OL10]', async () => {
  const controller = new AbortController();
  const pending = modelErrorOf(
    model.load(
      { model: 'tiny-plain', numCtx: 1024, keepAlive: '5m' },
      context({ signal: controller.signal }),
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 40));
  controller.abort();
  expect((await pending).kind).toBe('aborted');
  const loaded = await model.load({ model: 'tiny-plain', numCtx: 1024, keepAlive: '5m' }, context());
  expect(loaded.contextTokens).toBe(1024);
});

it('a server that ends in the middle of a reply is `cut_off`, and then `unreachable`', async () => {
  const other = await startOllama();
  const dying = createOllamaChatModel({ host: parseOllamaHost(other.url) });
  const options = { ...ask('').options, num_predict: 3500 };
  let writing: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    writing = resolve;
  });
  const endless = ask('Write an endless text', { stream: true, tools: [], options });
  const pending = modelErrorOf(dying.chat(endless, context({ onDelta: writing })));
  await begun;
  await other.stop();
  const error = await pending;
  expect(error.transient).toBe(true);
  expect(['cut_off', 'http']).toContain(error.kind);
  expect(error.partialText).toContain('tick');
  expect((await modelErrorOf(dying.chat(ask('Hello'), context()))).kind).toBe('unreachable');
});

it('the same window, even one above the model’s maximum, causes no reload [OL14]', async () => {
  const load = () => model.load({ model: 'tiny-tools', numCtx: 32_768, keepAlive: '5m' }, context());
  await load();
  const options = { ...ask('').options, num_ctx: 32_768 };
  // A reload takes long every time; a busy machine only now and then.
  const loads: number[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const reply = await model.chat(ask('Read alpha.md', { options }), context());
    loads.push(reply.timings.loadMs ?? Number.POSITIVE_INFINITY);
    expect(await load()).toMatchObject({ alreadyLoaded: true, contextTokens: 8192 });
  }
  expect(Math.min(...loads)).toBeLessThan(100);
});

describe('what the model saw', () => {
  it('renders the prompt of a request, tool block included, without an answer [OL5]', async () => {
    const connection = connectOllama(parseOllamaHost(ollama.url));
    const request = ask('Read alpha.md', { stream: true });
    const prompt = await renderPrompt(connection, request, context());
    expect(prompt).toContain('<|user|>Read alpha.md<|end|>');
    expect(prompt, 'the template names the tools that are offered').toContain('write=write_file');
    expect(prompt).toContain('<|assistant|>');
  });

  it('unloading takes the model out of memory [OL9]', async () => {
    const connection = connectOllama(parseOllamaHost(ollama.url));
    await model.load({ model: 'tiny-tools', numCtx: 4096, keepAlive: '5m' }, context());
    await unloadModel(connection, 'tiny-tools');
    await expect
      .poll(async () => (await listRunning(connection))?.map(({ name }) => name))
      .not.toContain('tiny-tools:latest');
  });
});
