import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import type { FaultInput, ScenarioInput } from '../demo/scenario.ts';
import { modelErrorOf } from '../testing/model-error-of.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import type { CallContext, ChatDelta, ChatRequest } from './chat-model.ts';
import type { ModelErrorKind } from './model-error.ts';
import type { OllamaLimits } from './ollama-connection.ts';
import { parseOllamaHost } from './ollama-host.ts';

const open: FakeOllama[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function start(options: FakeOllamaOptions & Partial<OllamaLimits> = {}) {
  const fake = await startFakeOllama(options);
  open.push(fake);
  const { maxLineBytes, maxResponseBytes, maxStreamBytes, connectTimeoutMs } = options;
  const limits = Object.fromEntries(
    Object.entries({ maxLineBytes, maxResponseBytes, maxStreamBytes, connectTimeoutMs }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return { fake, model: createOllamaChatModel({ host: parseOllamaHost(fake.url), ...limits }) };
}

const readFile = {
  type: 'function' as const,
  function: {
    name: 'read_file',
    description: 'Reads',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
};
const request = (change: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'play',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Read a.md' },
  ],
  tools: [readFile],
  options: { num_ctx: 4096, num_predict: 2048 },
  think: false,
  stream: false,
  keepAlive: '5m',
  ...change,
});
const context = (change: Partial<CallContext> = {}): CallContext => ({
  signal: new AbortController().signal,
  timeoutMs: 5_000,
  ...change,
});
const play = (step: ScenarioInput['steps'][number], more: Partial<ScenarioInput> = {}): ScenarioInput => ({
  name: 'play',
  steps: [step],
  ...more,
});
const failing = (fault: FaultInput) => play({ fault, reply: { content: 'one two three four five six' } });

describe('what is sent', () => {
  it('sends everything that Ollama would decide in silence, in every request [T3]', async () => {
    const { fake, model } = await start({ scenarios: [play({ reply: { content: 'Hello.' } })] });
    await model.chat(request(), context());
    await model.chat(request({ stream: true, think: true }), context());
    expect(fake.chats[0]).toEqual({
      model: 'play',
      messages: request().messages,
      tools: [readFile],
      stream: false,
      options: { num_ctx: 4096, num_predict: 2048 },
      truncate: false,
      shift: false,
      think: false,
      keep_alive: '5m',
    });
    expect(fake.chats[1]).toMatchObject({ stream: true, think: true, truncate: false, shift: false });
  });

  it('sends each level of thinking unchanged [OL8]', async () => {
    const { fake, model } = await start({ scenarios: [play({ reply: { content: 'Hello.' } })] });
    const levels = ['low', 'medium', 'high', 'max'] as const;
    for (const think of levels) await model.chat(request({ think }), context());
    expect(fake.chats.map(({ think }) => think)).toEqual(levels);
  });

  it('sends seconds of keep_alive as a number, as a text without a unit is refused', async () => {
    const { fake, model } = await start({ scenarios: [play({ reply: { content: 'Hello.' } })] });
    await model.load({ model: 'play', numCtx: 4096, keepAlive: '-1' }, context());
    await model.chat(request({ keepAlive: '-1' }), context());
    expect(fake.chats.at(-1)).toMatchObject({ keep_alive: -1 });
    await model.embed({ model: 'play', texts: ['one'], keepAlive: '600' }, context());
  });

  it('sends no `tools` when none are offered [T10]', async () => {
    const { fake, model } = await start({ scenarios: [play({ reply: { content: 'Hello.' } })] });
    await model.chat(request({ tools: [], stream: true }), context());
    expect(fake.chats[0]).not.toHaveProperty('tools');
  });

  it('assistant calls and tool results travel in API shape [T12, T14]', async () => {
    const { fake, model } = await start({ scenarios: [play({ reply: { content: 'Hello.' } })] });
    const messages: ChatRequest['messages'] = [
      ...request().messages,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.md' } } }],
      },
      { role: 'tool', tool_name: 'read_file', content: '{"success":true}' },
    ];
    await model.chat(request({ messages }), context());
    expect(fake.chats[0]?.messages).toEqual(messages);
  });
});

describe.each([false, true])('a reply, stream: %s', (stream) => {
  it('returns text, thinking, calls, counts and times', async () => {
    const reply = {
      thinking: 'I should read it.',
      content: 'Reading now.',
      tool_calls: [{ name: 'read_file', arguments: { path: 'a.md' } }],
      prompt_eval_count: 70,
      eval_count: 23,
    };
    const { model } = await start({ scenarios: [play({ reply })] });
    const answer = await model.chat(request({ stream, think: true }), context());
    expect(answer).toEqual({
      message: {
        role: 'assistant',
        content: 'Reading now.',
        thinking: 'I should read it.',
        tool_calls: [
          {
            id: expect.stringMatching(/^call_/),
            function: { index: 0, name: 'read_file', arguments: { path: 'a.md' } },
          },
        ],
      },
      doneReason: 'stop',
      promptTokens: 70,
      replyTokens: 23,
      timings: {
        totalMs: expect.any(Number),
        loadMs: 0,
        promptEvalMs: expect.any(Number),
        evalMs: expect.any(Number),
      },
    });
  });

  it('a missing count stays missing [T8]', async () => {
    const { model } = await start({
      scenarios: [play({ reply: { content: 'Hi.', prompt_eval_count: null, eval_count: null } })],
    });
    const answer = await model.chat(request({ stream }), context());
    expect([answer.promptTokens, answer.replyTokens]).toEqual([undefined, undefined]);
  });

  it('counts that are no counts are unknown, `null` fields are absent, `{}` is an empty reply [K-38]', async () => {
    const strange = {
      message: { content: null, tool_calls: null },
      done: true,
      eval_count: -3,
      prompt_eval_count: 'many',
    };
    const { model } = await start({ scenarios: [failing({ kind: 'http', status: 200, body: strange })] });
    const answer = await model.chat(request({ stream }), context());
    expect(answer).toMatchObject({ message: { role: 'assistant', content: '' }, promptTokens: undefined });
    expect(answer.replyTokens).toBeUndefined();
  });

  it('passes on an empty reply with tokens unchanged', async () => {
    const { model } = await start({ scenarios: [play({ reply: { content: '', eval_count: 40 } })] });
    const answer = await model.chat(request({ stream }), context());
    expect(answer).toMatchObject({ message: { content: '' }, replyTokens: 40, doneReason: 'stop' });
  });

  it('num_predict ends the reply with `length` [T20]', async () => {
    const { model } = await start({ scenarios: [play({ reply: { content: 'word '.repeat(60) } })] });
    const cut = await model.chat(request({ stream, options: { num_ctx: 4096, num_predict: 20 } }), context());
    const whole = await model.chat(
      request({ stream, options: { num_ctx: 4096, num_predict: 200 } }),
      context(),
    );
    expect(cut).toMatchObject({ doneReason: 'length', replyTokens: 20 });
    expect(whole).toMatchObject({ doneReason: 'stop', message: { content: 'word '.repeat(60) } });
  });

  it.each<[string, FaultInput, ModelErrorKind, boolean]>([
    ['T5: 500', { kind: 'http', status: 500, body: 'x'.repeat(2000) }, 'http', true],
    ['404 page', { kind: 'http', status: 404, body: '404 page not found' }, 'http', false],
    ['T6: not JSON', { kind: 'not-json' }, 'bad_response', true],
    ['HTML', { kind: 'html' }, 'bad_response', true],
    ['cut JSON', { kind: 'cut-json' }, 'bad_response', true],
    ['busy', { kind: 'busy' }, 'busy', true],
    ['malformed call', { kind: 'malformed-call' }, 'malformed_call', false],
    ['closed before the headers', { kind: 'close' }, 'cut_off', true],
    ['reset before the headers', { kind: 'reset' }, 'cut_off', true],
    ['closed in the middle', { kind: 'close', after_tokens: 3 }, 'cut_off', true],
    ['reset in the middle', { kind: 'reset', after_tokens: 3 }, 'cut_off', true],
    ['no done', { kind: 'no-done' }, 'cut_off', true],
    [
      'redirect',
      { kind: 'http', status: 302, location: 'http://127.0.0.1:1/' } as const,
      'bad_response',
      false,
    ],
    ['array', { kind: 'http', status: 200, body: [1] }, 'bad_response', true],
    [
      'wrong type',
      { kind: 'http', status: 200, body: { message: { content: 5 }, done: true } } as const,
      'bad_response',
      true,
    ],
    [
      'a reply in OpenAI’s format',
      { kind: 'http', status: 200, body: { object: 'chat.completion', choices: [], done: true } } as const,
      'bad_response',
      true,
    ],
    [
      'a failure reported as the reason of the end',
      {
        kind: 'http',
        status: 200,
        body: { message: { role: '', content: '' }, done: true, done_reason: 'error' },
      } as const,
      'http',
      true,
    ],
    ['error with 200', { kind: 'http', status: 200, body: { error: 'runner died' } }, 'http', true],
  ])('fault: %s', async (_, fault, kind, transient) => {
    const { model } = await start({ scenarios: [failing(fault)] });
    const error = await modelErrorOf(model.chat(request({ stream }), context()));
    expect({ kind: error.kind, transient: error.transient }).toEqual({ kind, transient });
  });
});

describe('errors that a person reads', () => {
  it('is not led to another server [threat 14]', async () => {
    const elsewhere = await startFakeOllama();
    try {
      const redirect = { kind: 'http', status: 307, location: `${elsewhere.url}/api/chat` } as const;
      const { model } = await start({ scenarios: [failing(redirect)] });
      const error = await modelErrorOf(model.chat(request(), context()));
      expect(error).toMatchObject({ kind: 'bad_response', transient: false });
      expect(error.hint).toContain('Redirects are not followed');
      expect(elsewhere.requests).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('names the status and shows at most 500 characters of the body [T5]', async () => {
    const { model } = await start({
      scenarios: [failing({ kind: 'http', status: 500, body: 'x'.repeat(2000) })],
    });
    const error = await modelErrorOf(model.chat(request(), context()));
    expect(error.message).toMatch(/^Ollama HTTP 500: x+…$/);
    expect(error.message.length - 'Ollama HTTP 500: '.length).toBe(500);
    expect(error.status).toBe(500);
  });

  it('shows how the body began [T6]', async () => {
    const { model } = await start({ scenarios: [failing({ kind: 'html' })] });
    const error = await modelErrorOf(model.chat(request(), context()));
    expect(error.message).toMatch(/^Ollama response parse error: .*<!doctype html>/s);
    expect(error.hint).toContain('OLLAMA_HOST');
  });

  it('404: the error names the model to pull', async () => {
    const { model } = await start();
    const error = await modelErrorOf(model.chat(request({ model: 'qwen3:8b' }), context()));
    expect(error).toMatchObject({
      kind: 'model_missing',
      code: 'model_missing',
      status: 404,
      transient: false,
    });
    expect(error.hint).toBe('Run: ollama pull qwen3:8b');
  });

  it('tools and thinking that the model lacks have their own kinds', async () => {
    const { model } = await start({ models: [{ name: 'plain', capabilities: ['completion'] }] });
    const tools = await modelErrorOf(model.chat(request({ model: 'plain' }), context()));
    expect(tools).toMatchObject({ kind: 'no_tool_support', status: 400, transient: false });
    const thinking = await modelErrorOf(
      model.chat(request({ model: 'plain', tools: [], think: true }), context()),
    );
    expect(thinking).toMatchObject({ kind: 'no_thinking_support', status: 400, transient: false });
  });

  it.each([true, false])('overflow, counts told: %s [OL3, OL22]', async (overflowCounts) => {
    const { model } = await start({ overflowCounts, scenarios: [play({ reply: { content: 'Hi.' } })] });
    const messages = [{ role: 'user' as const, content: 'word '.repeat(4000) }];
    const error = await modelErrorOf(model.chat(request({ messages }), context()));
    expect(error).toMatchObject({ kind: 'overflow', status: 400, transient: false });
    expect(error.contextTokens).toBe(overflowCounts ? 4096 : undefined);
    expect(error.promptTokens).toEqual(overflowCounts ? expect.any(Number) : undefined);
  });

  it('a call that Ollama could not read keeps the model’s own text [T22]', async () => {
    const error = `error parsing tool call: raw='{"path": "it's.md"', err=unexpected end of JSON input`;
    const { model } = await start({ scenarios: [failing({ kind: 'malformed-call', error })] });
    expect(await modelErrorOf(model.chat(request(), context()))).toMatchObject({
      kind: 'malformed_call',
      raw: `{"path": "it's.md"`,
    });
  });

  it('an error line in the stream keeps the text before it [OL20]', async () => {
    const { model } = await start({
      scenarios: [
        failing({ kind: 'error-line', error: 'llama runner process has terminated', after_tokens: 3 }),
      ],
    });
    const error = await modelErrorOf(model.chat(request({ stream: true }), context()));
    expect(error).toMatchObject({ kind: 'http', transient: true, partialText: 'one two three' });
    expect(error.message).toContain('llama runner process has terminated');
  });

  it('keeps the text of a reply that is cut off', async () => {
    const { model } = await start({ scenarios: [failing({ kind: 'reset', after_tokens: 4 })] });
    const error = await modelErrorOf(model.chat(request({ stream: true }), context()));
    expect(error).toMatchObject({ kind: 'cut_off', transient: true });
    expect('one two three four five six').toContain(error.partialText ?? 'nothing');
  });

  it('a closed port is `unreachable`, with what to do', async () => {
    const { fake, model } = await start();
    await fake.close();
    const error = await modelErrorOf(model.chat(request(), context()));
    expect(error).toMatchObject({ kind: 'unreachable', transient: true });
    expect(error.hint).toContain('ollama serve');
  });
});

describe('bounds', () => {
  it('a line of 10 MB is cut at 8 MB', async () => {
    const { model } = await start({ scenarios: [failing({ kind: 'huge-line' })] });
    const error = await modelErrorOf(model.chat(request({ stream: true }), context()));
    expect(error).toMatchObject({ kind: 'bad_response', transient: false });
    expect(error.message).toContain('a line of more than 8 MB');
  });

  it.each([true, false])('reads a call whose arguments take 2 MB, stream: %s', async (stream) => {
    const calls = [{ function: { name: 'write_file', arguments: { content: 'x'.repeat(2_000_000) } } }];
    const server = createServer((req, res) => {
      const message = { role: 'assistant', content: '', tool_calls: calls };
      if (req.url === '/api/chat') res.end(`${JSON.stringify({ message, done: true })}\n`);
      else res.end(JSON.stringify(req.url === '/api/version' ? { version: '0.17.4' } : { models: [] }));
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
    const model = createOllamaChatModel({ host: parseOllamaHost(`127.0.0.1:${port}`) });
    const answer = await model.chat(request({ stream }), context());
    server.close();
    expect(answer.message.tool_calls).toEqual(calls);
  });

  it.each([
    [false, '8 MB', {}],
    [true, '1 MB', { maxResponseBytes: 1024 * 1024 }],
  ])('an endless reply is cut with little memory, stream: %s, at %s', async (stream, size, limits) => {
    const { fake, model } = await start({ ...limits, scenarios: [failing({ kind: 'endless' })] });
    const before = process.memoryUsage().rss;
    const error = await modelErrorOf(model.chat(request({ stream }), context({ timeoutMs: 30_000 })));
    expect(error.message).toContain(`a reply of more than ${size}`);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    await expect.poll(() => fake.closeEvents.length).toBe(1);
  });

  it('a streamed reply may be larger on the wire than what the model said', async () => {
    const content = 'word '.repeat(4000);
    const limits = { maxResponseBytes: 20_000, scenarios: [play({ reply: { content } })] };
    const { model } = await start(limits);
    const options = { num_ctx: 32_768, num_predict: 8000 };
    const answer = await model.chat(request({ stream: true, options }), context());
    expect(answer.message.content).toBe(content);

    const { model: strict } = await start({ ...limits, maxStreamBytes: 100_000 });
    const error = await modelErrorOf(strict.chat(request({ stream: true, options }), context()));
    expect(error).toMatchObject({ kind: 'bad_response', transient: false });
    expect(error.message).toContain('100000 bytes');
  });

  it.each(['content', 'thinking', 'tool_calls'] as const)(
    'counts %s towards the size of a streamed reply',
    async (part) => {
      const reply = {
        content: { content: 'word '.repeat(500) },
        thinking: { content: '', thinking: 'word '.repeat(500) },
        tool_calls: { tool_calls: [{ name: 'read_file', arguments: { path: 'x'.repeat(2500) } }] },
      }[part];
      const { model } = await start({ maxResponseBytes: 2000, scenarios: [play({ reply })] });
      const error = await modelErrorOf(
        model.chat(request({ stream: true, think: part === 'thinking' }), context()),
      );
      expect(error.message).toBe('Ollama sent a reply of more than 2000 bytes. It was cut off.');
    },
  );

  it('accepts a reply below its own limits', async () => {
    const { model } = await start({
      maxLineBytes: 200_000,
      scenarios: [
        play({
          reply: { tool_calls: [{ name: 'write_file', arguments: { content: 'x'.repeat(100_000) } }] },
        }),
      ],
    });
    const answer = await model.chat(
      request({ stream: true, options: { num_ctx: 32_768, num_predict: 30_000 } }),
      context(),
    );
    expect(JSON.stringify(answer.message.tool_calls)).toContain('x'.repeat(100_000));
  });

  it.each([false, true])('accepts a list of calls of any length, stream: %s', async (stream) => {
    const body = `{"message":{"tool_calls":[${'0,'.repeat(200_000)}0]},"done":true}`;
    const { model } = await start({
      scenarios: [failing({ kind: 'http', status: 200, body, content_type: 'application/json' })],
    });
    const answer = await model.chat(request({ stream }), context());
    expect(answer.message.tool_calls).toHaveLength(200_001);
  });

  it.each([
    ['a tool call', (deep: string) => `{"message":{"content":"","tool_calls":[${deep}]},"done":true}`],
    ['a text', (deep: string) => `{"message":{"content":${deep}},"done":true}`],
    ['an error', (deep: string) => `{"error":${deep}}`],
    ['an error under its own key', (deep: string) => `{"error parsing tool call":${deep}}`],
  ])('refuses %s that is nested without end', async (_, bodyOf) => {
    const body = bodyOf(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    const { model } = await start({
      scenarios: [failing({ kind: 'http', status: 200, body, content_type: 'application/json' })],
    });
    for (const stream of [false, true]) {
      const error = await modelErrorOf(model.chat(request({ stream }), context()));
      expect(error).toMatchObject({ kind: 'bad_response' });
      expect(error.message).toContain('nested deeper');
    }
  });
});

describe('streaming', () => {
  it('gives text and thinking apart while they are written [S6, S8]', async () => {
    const { model } = await start({
      scenarios: [
        play({ reply: { thinking: 'Well now.', content: 'Hello there.' } }, { pace: { ms_per_token: 5 } }),
      ],
    });
    const deltas: ChatDelta[] = [];
    const answer = await model.chat(
      request({ stream: true, think: true }),
      context({ onDelta: (delta) => deltas.push(delta) }),
    );
    expect(deltas).toEqual([
      { thinking: 'Well' },
      { thinking: ' now.' },
      { text: 'Hello' },
      { text: ' there' },
      { text: '.' },
    ]);
    expect(answer.message.content).toBe('Hello there.');
  });

  it.each(['first', 'middle', 'end', 'last-line', 'spread'] as const)(
    'calls in place: %s [S7]',
    async (calls_in) => {
      const tool_calls = ['a.md', 'b.md'].map((path) => ({ name: 'read_file', arguments: { path } }));
      const { model } = await start({
        scenarios: [play({ reply: { content: 'I read both files.', tool_calls, calls_in } })],
      });
      const { message } = await model.chat(request({ stream: true }), context());
      expect(message.content).toBe('I read both files.');
      expect(message.tool_calls).toMatchObject(tool_calls.map((call) => ({ function: call })));
    },
  );

  it('joins characters that are split between packets', async () => {
    const { model } = await start({
      scenarios: [play({ reply: { content: 'ä😀' }, fault: { kind: 'trickle', interval_ms: 1 } })],
    });
    const { message } = await model.chat(request({ stream: true }), context());
    expect(message.content).toBe('ä😀');
  });
});

describe('deadline and stop', () => {
  it.each<[string, boolean, FaultInput]>([
    ['silent', false, { kind: 'hang' }],
    ['silent after the headers', false, { kind: 'hang', headers: true }],
    ['silent', true, { kind: 'hang' }],
    ['silent in the middle', true, { kind: 'hang', after_tokens: 2 }],
    ['one byte at a time', true, { kind: 'trickle', interval_ms: 30 }],
    ['endless and slow', true, { kind: 'endless', interval_ms: 20 }],
  ])(
    'a server that is %s (stream: %s) ends at the limit, and its socket is closed [T4]',
    async (_, stream, fault) => {
      const { fake, model } = await start({ scenarios: [failing(fault)] });
      const startedAt = performance.now();
      const error = await modelErrorOf(model.chat(request({ stream }), context({ timeoutMs: 150 })));
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect(error).toMatchObject({ kind: 'timeout', transient: false });
      expect(error.message).toContain('Ollama per-call timeout');
      expect(error.message).toContain('0.15 s');
      await expect.poll(() => fake.openRequests).toBe(0);
      expect(fake.closeEvents).toHaveLength(1);
    },
  );

  it('says at the limit that an aborted prompt may be in the way, unless something of the reply arrived [OL31]', async () => {
    const hintAfter = async (fault: FaultInput, { stream = true, timeoutMs = 150 } = {}) => {
      const { model } = await start({ scenarios: [failing(fault)] });
      return (await modelErrorOf(model.chat(request({ stream }), context({ timeoutMs })))).hint;
    };
    expect(await hintAfter({ kind: 'hang' })).toContain('the prompt of an aborted request');
    expect(await hintAfter({ kind: 'hang' }, { stream: false })).toContain('it writes without end');
    const begun = await hintAfter({ kind: 'hang', after_tokens: 2 }, { timeoutMs: 1500 });
    expect(begun).toContain('it writes without end');
  });

  it.each<[string, boolean, ScenarioInput]>([
    ['before the answer', false, failing({ kind: 'hang' })],
    ['before the answer', true, failing({ kind: 'hang' })],
    ['within the reply', false, failing({ kind: 'hang', after_tokens: 2 })],
    ['within the reply', true, failing({ kind: 'hang', after_tokens: 2 })],
    [
      'while it writes',
      true,
      play({ reply: { content: 'word '.repeat(500) } }, { pace: { ms_per_token: 20 } }),
    ],
    ['during the load of a call', false, play({ reply: { content: 'Hi.' } }, { pace: { load_ms: 60_000 } })],
  ])('a stop %s (stream: %s) closes the socket at once', async (_, stream, scenario) => {
    const { fake, model } = await start({ scenarios: [scenario] });
    const controller = new AbortController();
    const pending = modelErrorOf(model.chat(request({ stream }), context({ signal: controller.signal })));
    await expect.poll(() => fake.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort();
    expect(await pending).toMatchObject({ kind: 'aborted', transient: false });
    await expect.poll(() => fake.closeEvents.length, { interval: 5 }).toBe(1);
    expect(fake.openRequests).toBe(0);
  });

  it('a stop in the queue leaves it', async () => {
    const { fake, model } = await start({ parallel: 1, scenarios: [failing({ kind: 'hang' })] });
    const first = new AbortController();
    const second = new AbortController();
    const hanging = modelErrorOf(model.chat(request(), context({ signal: first.signal })));
    await expect.poll(() => fake.requests.length).toBe(1);
    const waiting = modelErrorOf(model.chat(request(), context({ signal: second.signal })));
    await expect.poll(() => fake.requests.length).toBe(2);
    second.abort();
    expect((await waiting).kind).toBe('aborted');
    await expect.poll(() => fake.closeEvents.map(({ phase }) => phase)).toEqual(['queue']);
    first.abort();
    await hanging;
  });

  it('a signal that is already aborted sends nothing', async () => {
    const { fake, model } = await start();
    const error = await modelErrorOf(model.chat(request(), context({ signal: AbortSignal.abort() })));
    expect(error.kind).toBe('aborted');
    expect(fake.requests).toHaveLength(0);
  });

  it('leaves no listener on the signal of a long run, and reuses its connections', async () => {
    const { fake, model } = await start({ scenarios: [play({ reply: { content: 'Hi.' } })] });
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = new Proxy(signal, {
      get(target, key) {
        if (key === 'addEventListener') listeners += 1;
        if (key === 'removeEventListener') listeners -= 1;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    for (let call = 0; call < 20; call += 1)
      await model.chat(request({ stream: call % 2 === 0 }), context({ signal: counting }));
    expect(listeners).toBe(0);
    expect(fake.openRequests).toBe(0);
    expect(fake.openSockets).toBeLessThanOrEqual(2);
    expect(fake.closeEvents).toHaveLength(0);
  });

  it('an error thrown by a listener passes unchanged and closes the socket', async () => {
    const { fake, model } = await start({
      scenarios: [play({ reply: { content: 'word '.repeat(100) } }, { pace: { ms_per_token: 10 } })],
    });
    const onDelta = () => {
      throw new RangeError('bug');
    };
    await expect(model.chat(request({ stream: true }), context({ onDelta }))).rejects.toThrow(RangeError);
    await expect.poll(() => fake.openRequests).toBe(0);
  });
});

describe('load', () => {
  const load = (change: object = {}) => ({ model: 'play', numCtx: 8192, keepAlive: '5m', ...change });

  it('loads with the window of the run, and reports the effective one [K-25, OL9]', async () => {
    const { fake, model } = await start({
      models: [{ name: 'play', context_length: 4096, size_bytes: 1000, vram_share: 0.5 }],
      scenarios: [play({ reply: { content: 'Hi.' } }, { pace: { load_ms: 60 } })],
    });
    const loaded = await model.load(load({ options: { num_gpu: 3, temperature: 1 } }), context());
    expect(loaded).toMatchObject({ contextTokens: 4096, alreadyLoaded: false });
    expect(loaded.loadMs).toBeGreaterThanOrEqual(50);
    expect((loaded.vramBytes ?? 0) * 2).toBe(loaded.sizeBytes);
    expect(loaded.digest).toBe((await model.show('play')).digest);
    expect(fake.requests.find(({ path }) => path === '/api/chat')?.body).toEqual({
      model: 'play',
      messages: [],
      stream: false,
      options: { num_gpu: 3, temperature: 1, num_ctx: 8192 },
      truncate: false,
      shift: false,
      keep_alive: '5m',
    });
  });

  it('distinguishes a model that is loaded as requested from one that has to be loaded again', async () => {
    const { model } = await start({ scenarios: [play({ reply: { content: 'Hi.' } })] });
    expect(await model.load(load(), context())).toMatchObject({ alreadyLoaded: false });
    expect(await model.load(load(), context())).toMatchObject({
      alreadyLoaded: true,
      loadMs: 0,
      contextTokens: 8192,
    });
    expect(await model.load(load({ numCtx: 4096 }), context())).toMatchObject({
      alreadyLoaded: false,
      contextTokens: 4096,
    });
  });

  it('measures the load of a runner that Ollama replaced because it did not answer, though it is listed all the time', async () => {
    const listed = { name: 'play:latest', digest: 'd1', size: 1000, size_vram: 0, context_length: 8192 };
    const server = createServer((req, res) => {
      const answer = (body: object) => res.end(JSON.stringify(body));
      if (req.url === '/api/chat') setTimeout(answer, 20, { done: true, done_reason: 'load' });
      else answer(req.url === '/api/version' ? { version: '0.17.4' } : { models: [listed] });
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
    const model = createOllamaChatModel({ host: parseOllamaHost(`127.0.0.1:${port}`), runnerAnswerMs: 10 });
    const loaded = await model.load(load(), context());
    server.close();
    expect(loaded).toMatchObject({ alreadyLoaded: false, contextTokens: 8192 });
    expect(loaded.loadMs).toBeGreaterThanOrEqual(10);
  });

  it.each([
    { kind: 'http', status: 404, body: '404 page not found' },
    { kind: 'http', status: 404, body: { error: 'not found' } },
  ] as const)(
    'loads where /api/ps is missing, and does not guess what was in memory: $body',
    async (fault) => {
      const { fake, model } = await start({
        scenarios: [play({ reply: { content: 'Hi.' } })],
        faults: { '/api/ps': fault },
      });
      const loaded = await model.load(load(), context());
      expect(loaded).toMatchObject({ alreadyLoaded: false, unlisted: true });
      expect(loaded.contextTokens).toBeUndefined();
      expect(await model.inMemory?.('play', context().signal)).toEqual({ state: 'unknown', unlisted: true });
      // What the server said about itself a moment ago is still true.
      expect(fake.requests.filter(({ path }) => path === '/api/tags')).toHaveLength(1);
    },
  );

  it('does not unload when the run keeps nothing in memory', async () => {
    const { model } = await start({ scenarios: [play({ reply: { content: 'Hi.' } })] });
    expect(await model.load(load({ keepAlive: 0 }), context())).toMatchObject({ contextTokens: 8192 });
    expect(await model.load(load({ keepAlive: '0s' }), context())).toMatchObject({ alreadyLoaded: true });
  });

  it('has its own limit, and a stop closes the socket', async () => {
    const { fake, model } = await start({
      scenarios: [play({ reply: { content: 'Hi.' } }, { pace: { load_ms: 20_000 } })],
    });
    const late = await modelErrorOf(model.load(load(), context({ timeoutMs: 100 })));
    expect(late).toMatchObject({ kind: 'timeout' });
    expect(late.message).toContain('0.1 s');

    const controller = new AbortController();
    const pending = modelErrorOf(model.load(load(), context({ signal: controller.signal })));
    await expect.poll(() => fake.requests.filter(({ path }) => path === '/api/chat').length).toBe(2);
    controller.abort();
    expect((await pending).kind).toBe('aborted');
    await expect.poll(() => fake.closeEvents.map(({ phase }) => phase)).toEqual(['load', 'load']);
  });

  it('a model that was removed in the meantime is reported with a hint', async () => {
    const { model } = await start();
    const failed = await modelErrorOf(model.load({ ...load(), model: 'qwen3:8b' }, context()));
    expect(failed).toMatchObject({
      kind: 'model_missing',
      code: 'model_missing',
      status: 404,
      message: 'Model "qwen3:8b" is missing. Run: ollama pull qwen3:8b',
      hint: 'Or choose an installed model.',
    });
  });

  it('a model that does not fit into memory is not tried again', async () => {
    const error = 'model requires more system memory (20 GiB) than is available (8 GiB)';
    const { model } = await start({
      scenarios: [
        play({ reply: { content: '' } }, { load_fault: { kind: 'http', status: 500, body: { error } } }),
      ],
    });
    const failed = await modelErrorOf(model.load(load(), context()));
    expect(failed).toMatchObject({ kind: 'http', status: 500, transient: false });
    expect(failed.hint).toContain('memory');
  });
});

it('`localhost` reaches a server on 127.0.0.1 [K-38]', async () => {
  const { fake } = await start({ scenarios: [play({ reply: { content: 'Hi.' } })] });
  const model = createOllamaChatModel({ host: parseOllamaHost(`localhost:${fake.port}`) });
  expect((await model.chat(request(), context())).message.content).toBe('Hi.');
});
