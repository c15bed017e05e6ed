import { readFileSync } from 'node:fs';
import { afterEach, expect, expectTypeOf, it } from 'vitest';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { ScenarioInput } from '../demo/scenario.ts';
import { createOllamaChatModel } from '../model/ollama-chat-model.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { OllamaResponseError } from '../modes/explore.ts';
import { EXPLORE_SYSTEM_PROMPT } from '../modes/explore-prompt.ts';
import { calls, says } from '../runs/play.ts';
import { type ExploreLogEntry, exploreLogEntry } from '../sharing/exports/explore-log.ts';
import { createExploreTools } from '../tools/explore-tools.ts';
import type { ToolFact } from '../tools/tool.ts';
import { ToolDispatcher } from '../tools/tool-dispatcher.ts';
import {
  type CycleParts,
  type ExperimentConfig,
  ExperimentRunner,
  executeChatCompletion,
  executeCycle,
} from './cycle.ts';

let fake: FakeOllama;
afterEach(() => fake?.close());

const config: ExperimentConfig = {
  run_id: 'r',
  model_name: 'play',
  model_options: { seed: 7, temperature: 0.5 },
};
const start = {
  run_id: 'r',
  cycle_number: 1,
  model_name: 'play',
  message_history: [],
  reflection_history: [],
};
const write = { name: 'write', arguments: { key: 'idea', value: 'Count the clouds.' } };

/** The model plays the steps; memory lives in a map of the script's own. */
async function parts(steps: ScenarioInput['steps'], change: Partial<CycleParts> = {}) {
  fake = await startFakeOllama({ models: [{ name: 'play' }], scenarios: [{ name: 'play', steps }] });
  const memory = new Map<string, { value: string }>();
  const record = (fact: ToolFact) => {
    if (fact.kind === 'memory-written') memory.set(fact.key, { value: fact.value });
  };
  const entries: ExploreLogEntry[] = [];
  const given: CycleParts = {
    model: createOllamaChatModel({ host: parseOllamaHost(fake.url) }),
    dispatcher: new ToolDispatcher(createExploreTools(), { memory, queued: [], record }),
    logger: { logEvent: (_type, entry) => void entries.push(structuredClone(entry)) },
    ...change,
  };
  return { parts: given, memory, entries };
}

const messages = [{ role: 'user' as const, content: 'Cycle 1.' }];
const options = { num_ctx: 4096, num_predict: 100, seed: 7 };

it('X19: the configuration has the fields of its source', async () => {
  expectTypeOf<keyof ExperimentConfig>().toEqualTypeOf<'run_id' | 'model_name' | 'model_options'>();
  const runner = new ExperimentRunner(config, (await parts([says('A note.')])).parts);
  expect(runner.state).toEqual({ ...start, run_id: config.run_id, model_name: config.model_name });
});

it('X24: every public function for scripts says what it takes, gives and throws, with an example', () => {
  for (const file of ['./cycle.ts', '../modes/explore-prompt.ts', '../modes/explore-response.ts']) {
    const source = readFileSync(new URL(file, import.meta.url), 'utf8');
    expect(source, file).not.toMatch(/:\s*any\b|<any\b/);
    const functions = [...source.matchAll(/(\/\*\*(?:(?!\*\/).)*\*\/)?\nexport (?:async )?function (\w+)/gs)];
    expect(functions.length, file).toBeGreaterThan(0);
    for (const [, doc = '', name] of functions) {
      for (const part of [/@param/, /@returns/, /@throws|never throws|Pure\./i, /@example/]) {
        expect(doc, `${name} in ${file}`).toMatch(part);
      }
    }
  }
});

it('N8, X5: test_execute_chat_completion_calls_client', async () => {
  const { parts: given } = await parts([says('A note.')]);
  await executeChatCompletion(given.model)('play', messages, createExploreTools().definitions, options);
  expect(fake.chats).toHaveLength(1);
  expect(fake.chats[0]).toMatchObject({ model: 'play', messages, options, stream: false });
  expect(fake.chats[0]?.tools).toHaveLength(6);
});

it('N8, X5: test_execute_chat_completion_returns_response', async () => {
  const { parts: given } = await parts([{ reply: { content: 'A note.', eval_count: 5 } }]);
  const reply = await executeChatCompletion(given.model)('play', messages, [], options);
  expect(reply).toMatchObject({ message: { content: 'A note.' }, doneReason: 'stop', replyTokens: 5 });
});

it('N8, X6: test_execute_chat_completion_handles_error', async () => {
  const { parts: given } = await parts([{ fault: { kind: 'not-json' } }]);
  const call = executeChatCompletion(given.model);
  const failure = async (model: string) =>
    call(model, messages, [], options).then(
      () => undefined,
      (error: unknown) => error,
    );
  const missing = await failure('nobody');
  expect(missing).toBeInstanceOf(OllamaResponseError);
  expect(missing).toMatchObject({ status: 404, kind: 'model_missing' });
  const unreadable = await failure('play');
  expect(unreadable).toBeInstanceOf(OllamaResponseError);
  const refused = createOllamaChatModel({ host: parseOllamaHost('http://127.0.0.1:1') });
  const unreachable = await executeChatCompletion(refused)('play', messages, [], options).catch(
    (error: unknown) => error,
  );
  for (const error of [missing, unreadable, unreachable]) {
    expect(error).toMatchObject({ message: expect.stringMatching(/^Error during chat completion: /) });
    expect(error instanceof Error && error.cause).toBeInstanceOf(Error);
  }
});

it('N9, X7, X9, X11: test_full_react_loop_with_tool_call', async () => {
  const { parts: given, memory } = await parts([calls(write), says('I stored an idea.')]);
  const after = await executeCycle(start, config, given);
  expect(fake.chats).toHaveLength(2);
  expect(memory.get('idea')?.value).toBe('Count the clouds.');
  expect(after.message_history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(after.message_history[2]).toMatchObject({
    tool_name: 'write',
    content: 'Stored "idea" (17 characters).',
  });
  expect(after).toMatchObject({ cycle_number: 2, reflection_history: ['I stored an idea.'] });
  expect(start.message_history).toEqual([]);
});

it('N9, X14, X15, X16, X18: test_react_loop_logs_events', async () => {
  const { parts: given, entries } = await parts([calls(write), says('Done.')]);
  await executeCycle(start, config, given);
  expect(entries.map((entry) => entry.event_type)).toEqual(['LLM_INVOCATION', 'TOOL_CALL', 'LLM_INVOCATION']);
  for (const entry of entries) {
    exploreLogEntry.parse(entry);
    expect(entry).toMatchObject({ run_id: 'r', cycle_number: 1 });
  }
  const [first, call, last] = entries;
  expect(first?.payload).toMatchObject({
    prompt_messages: [{ role: 'system', content: EXPLORE_SYSTEM_PROMPT }, { content: 'Cycle 1.' }],
    response_message: { role: 'assistant', tool_calls: [{ function: write }] },
    model_options: { seed: 7, temperature: 0.5 },
  });
  expect(call?.payload).toEqual({
    tool_name: 'write',
    parameters: write.arguments,
    output: 'Stored "idea" (17 characters).',
  });
  expect(last?.payload).toMatchObject({ response_message: { content: 'Done.' } });
});

it('N9, X10: test_react_loop_with_multiple_tool_calls', async () => {
  const three = ['a', 'b', 'c'].map((key) => ({ name: 'write', arguments: { key, value: key } }));
  const { parts: given } = await parts([calls(...three), says('All three.')]);
  const after = await executeCycle(start, config, given);
  expect(fake.chats).toHaveLength(2);
  const results = after.message_history.filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content)).toEqual(
    ['a', 'b', 'c'].map((key) => `Stored "${key}" (1 character).`),
  );
  const sent = fake.chats[1]?.messages;
  expect(Array.isArray(sent) && sent.slice(-3)).toMatchObject([
    { role: 'tool' },
    { role: 'tool' },
    { role: 'tool' },
  ]);
});

it('N9, X11: test_react_loop_direct_reflection', async () => {
  const { parts: given } = await parts([says('Nothing to do.')]);
  const after = await executeCycle(start, config, given);
  expect(fake.chats).toHaveLength(1);
  expect(after.reflection_history).toEqual(['Nothing to do.']);
  expect(after.message_history.at(-1)).toEqual({ role: 'assistant', content: 'Nothing to do.' });
});

it('X3, X21: every call of a cycle carries the feedback it was given', async () => {
  const { parts: given } = await parts([calls(write), says('Done.')], {
    diversityFeedback: 'Look elsewhere.',
  });
  await executeCycle(start, config, given);
  for (const { messages: sent } of fake.chats) {
    expect(Array.isArray(sent) && sent[0]).toEqual({
      role: 'system',
      content: `${EXPLORE_SYSTEM_PROMPT}\n\nLook elsewhere.`,
    });
  }
  expect(fake.chats).toHaveLength(2);
});

it('X12, X13, X20: a runner goes from cycle to cycle, without a logger too', async () => {
  const { parts: given } = await parts([{ repeat: 9, steps: [says('Reflection {{turn}}.')] }]);
  const runner = new ExperimentRunner(config, { ...given, logger: undefined });
  const first = await runner.run(1);
  const frozen = Object.freeze([...first.message_history]);
  const second = await runner.run(2);
  expect(second).toMatchObject({ cycle_number: 4, model_name: 'play', run_id: 'r' });
  expect(second.reflection_history).toEqual(['Reflection 1.', 'Reflection 2.', 'Reflection 3.']);
  expect(second.message_history.slice(0, frozen.length)).toEqual(frozen);
  frozen.forEach((message, index) => {
    expect(second.message_history[index]).toBe(message);
  });
  expect(JSON.stringify(fake.chats[1]?.messages)).toContain('Reflection 1.');
});

it('X6, X20: a failed call ends the run with one kind of error and keeps the last whole cycle', async () => {
  const { parts: given } = await parts([says('One.'), { fault: { kind: 'http', status: 404, body: '' } }]);
  const runner = new ExperimentRunner(config, given);
  await expect(runner.run(2)).rejects.toBeInstanceOf(OllamaResponseError);
  expect(runner.state).toMatchObject({ cycle_number: 2, reflection_history: ['One.'] });
});

it('X13, X20: a history that fits no more, or a signal, counts no cycle that never was', async () => {
  const { parts: given } = await parts([says('Never.')]);
  const full = { ...start, message_history: [{ role: 'user' as const, content: 'w'.repeat(140_000) }] };
  const cycle = executeCycle(full, config, given).then(({ cycle_number }) => cycle_number);
  await expect(cycle).rejects.toMatchObject({
    code: 'cycle_unfinished',
    message: expect.stringContaining('conversation is full'),
  });
  const stopped = new ExperimentRunner(config, { ...given, signal: AbortSignal.abort() });
  await expect(stopped.run(1)).rejects.toMatchObject({ code: 'cycle_unfinished' });
  expect(stopped.state).toMatchObject({ cycle_number: 1, message_history: [] });
  expect(fake.chats).toHaveLength(0);
});

it('O15: a dispatcher that throws gives the model an error text and ends nothing', async () => {
  const dispatcher = {
    getToolDefinitions: () => createExploreTools().definitions,
    dispatch: async () => {
      throw new Error('the database is gone');
    },
  };
  const { parts: given } = await parts([calls(write), says('It failed.')], { dispatcher });
  const after = await executeCycle(start, config, given);
  expect(after.message_history[2]?.content).toMatch(/^Error: .*the database is gone/);
  expect(after.reflection_history).toEqual(['It failed.']);
});
