import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChatMessage, ChatModel, ChatReply } from '../model/chat-model.ts';
import { createOllamaHealth } from '../model/health.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { DEMO_MODELS, isDemoModel, startDemoOllama } from './demo-scenarios.ts';

let demo: Awaited<ReturnType<typeof startDemoOllama>>;
let model: ChatModel;
beforeAll(async () => {
  demo = await startDemoOllama({ speed: 20 });
  model = createOllamaChatModel({ host: parseOllamaHost(demo.url) });
});
afterAll(() => demo.close());

const tools: ToolDefinition[] = [
  'list_directory',
  'write_file',
  'read_file',
  'search_files',
  'run_command',
].map((name) => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object' } },
}));
const ask = (
  messages: ChatMessage[],
  change: { model?: string; tools?: ToolDefinition[] } = {},
): Promise<ChatReply> =>
  model.chat(
    {
      model: 'loupe-demo',
      messages,
      tools,
      options: { num_ctx: 32_768, num_predict: 2048 },
      think: true,
      stream: true,
      keepAlive: '5m',
      ...change,
    },
    { signal: new AbortController().signal, timeoutMs: 60_000 },
  );
const after = (replies: number): ChatMessage[] => [
  { role: 'user', content: 'Summarise alpha.md' },
  ...Array.from({ length: replies }, (): ChatMessage[] => [
    { role: 'assistant', content: 'x' },
    { role: 'tool', content: '{"success":true}' },
  ]).flat(),
];

it('is listed with tools and thinking, and labeled', async () => {
  const { models } = await createOllamaHealth({ host: parseOllamaHost(demo.url) }).listModels();
  expect(models.map(({ name }) => name)).toEqual(DEMO_MODELS.map((name) => `${name}:latest`));
  expect(
    models.every(
      ({ name, family, capabilities }) =>
        isDemoModel(name) && family === 'demo' && capabilities?.includes('tools'),
    ),
  ).toBe(true);
  expect(isDemoModel('qwen3:8b')).toBe(false);
});

it('the tour shows every kind of row, and says that it is a script', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, (_, turn) => ask(after(turn))));
  const parsed = replies.map(({ message }) => parseToolCalls(message, { tools }));
  expect(
    parsed.map((reply) => [
      reply.layer,
      ...(reply.type === 'tool_calls' ? reply.calls.map(({ name }) => name) : []),
    ]),
  ).toEqual([
    ['native', 'list_directory'],
    ['native', 'write_file'],
    ['native', 'read_file'],
    ['json', 'write_file'],
    ['none'],
    ['xml', 'search_files'],
    ['native', 'write_file', 'read_file'],
    ['none'],
  ]);
  expect(replies[0]?.message.content).toContain('script');
  expect(replies[7]?.message.content).toMatch(/completed.*only a script/);
  expect(replies.every(({ doneReason }) => doneReason === 'stop')).toBe(true);
});

it('answers directly without tools', async () => {
  const reply = await ask(after(0), { tools: [] });
  expect(reply.message.tool_calls).toBeUndefined();
  expect(reply.message.content).toContain('demo model');
});

it('the loop and stall models do what their names say', async () => {
  const calls = async (name: string, turns: number[]) =>
    Promise.all(
      turns.map(async (turn) => JSON.stringify((await ask(after(turn), { model: name })).message.tool_calls)),
    );
  expect(new Set(await calls('loupe-demo-loop', [1, 2, 3])).size).toBe(1);
  const stall = await calls('loupe-demo-stall', [0, 1, 2, 3, 4, 5]);
  expect(new Set(stall).size).toBe(2);
  expect(stall.every((call, turn) => call !== stall[turn - 1])).toBe(true);
  expect(stall.join()).not.toContain('write_file');
});

it('plays at the pace of a small model by default', async () => {
  const slow = await startDemoOllama();
  const startedAt = performance.now();
  const load = createOllamaChatModel({ host: parseOllamaHost(slow.url) }).load;
  await load(
    { model: 'loupe-demo', numCtx: 4096, keepAlive: '5m' },
    { signal: new AbortController().signal, timeoutMs: 10_000 },
  );
  expect(performance.now() - startedAt).toBeGreaterThan(1_100);
  await slow.close();
});

const offering = (...names: string[]): ToolDefinition[] =>
  names.map((name) => ({
    type: 'function',
    function: { name, description: name, parameters: { type: 'object' } },
  }));

it('plays an endless session, and an exploration with every tool', async () => {
  const sessionTools = offering('read_file', 'write_file');
  const begun = await ask(after(0), { tools: sessionTools });
  expect(begun.message).toMatchObject({ content: expect.stringContaining('diary') });
  const late = await ask(after(40), { tools: sessionTools });
  expect(JSON.stringify(late.message.tool_calls)).toContain('Reply 41');

  const six = ['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator'];
  const used = new Set<string>();
  for (let replies = 0; replies < 10; replies += 1) {
    const { message } = await ask(after(replies), { tools: offering(...six) });
    const parsed = parseToolCalls(message, { tools: offering(...six) });
    if (parsed.type === 'tool_calls') for (const { name } of parsed.calls) used.add(name);
  }
  expect([...used].toSorted()).toEqual(six.toSorted());
});
