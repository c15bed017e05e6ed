import { describe, expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { ledgerOf } from '../browser/state/ledger.ts';
import { nextAction } from '../engine/next-action.ts';
import { similarityMatrix } from '../events/cycle-table.ts';
import { foldCycles, noCycles } from '../events/fold-cycles.ts';
import { foldAll } from '../events/fold-run.ts';
import { type NewEvent, type RunEventType, runEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { resultOfLog } from '../experiments/result-row.ts';
import { ModelError } from '../model/model-error.ts';
import { ExploreLogProjection } from '../sharing/exports/explore-log.ts';
import { exploreLogEntry } from '../testing/explore-log-entry.ts';
import { calls, type PlayedRun, play, says, silence, stop, until } from '../testing/loop-harness.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import type { JsonValue } from '../util/json.ts';
import { exploreMode } from './explore.ts';
import { EXPLORE_SYSTEM_PROMPT } from './explore-prompt.ts';
import { resolveConfig } from './resolve-config.ts';

const explore = { mode: 'explore' as const, max_cycles: 1 };
const write = (key: string, value: string) => ({ name: 'write', arguments: { key, value } });
const read = (key: string) => ({ name: 'read', arguments: { key } });
const tell = (message: string) => ({ name: 'send_message_to_operator', arguments: { message } });

const results = (run: PlayedRun) =>
  run.log.state.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
const states = (run: PlayedRun): RunState[] => {
  let state = emptyRunState('run');
  return run.log.events.map((event) => {
    state = foldAll(state, [event]);
    return state;
  });
};

it("sends the exact prompt, six tools, and the run's options [X1, X2, X4, X5, X18, X23, O11, O16]", async () => {
  await using run = await play(
    { ...explore, model_options: { temperature: 0.7, seed: 42, num_predict: 300 } },
    [calls(write('a', 'b')), says('Enough.')],
  );
  for (const chat of run.fake.chats) {
    expect(chat).toMatchObject({
      stream: true,
      think: false,
      truncate: false,
      options: { temperature: 0.7, seed: 42, num_predict: 300, num_ctx: 32_768 },
    });
  }
  expect(run.sent(0)).toEqual([
    { role: 'system', content: EXPLORE_SYSTEM_PROMPT },
    { role: 'user', content: 'Cycle 1.' },
  ]);
  const [chat] = run.fake.chats;
  const names = Array.isArray(chat?.tools) ? chat.tools.map((tool) => JSON.stringify(tool)) : [];
  expect(names).toHaveLength(6);
  for (const name of ['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator']) {
    expect(names.some((tool) => tool.includes(`"name":"${name}"`))).toBe(true);
  }
  for (const event of run.log.events) expect(runEvent.safeParse(event).error).toBeUndefined();
  expect(run.workspace && run.config.workspace).toBe('');
});

it('runs cycles of calls and a reflection over one history [X7, X10, X11, X12, N12]', async () => {
  await using run = await play({ ...explore, max_cycles: 2 }, [
    calls(write('idea', 'clouds'), { name: 'list' }),
    says('I stored an idea.'),
    calls(read('idea')),
    says('I read it again.'),
  ]);
  expect(run.end).toMatchObject({
    result: { termination_reason: 'final_answer', status: 'completed', output: 'I read it again.' },
    message: 'All 2 cycles are done.',
  });
  expect(run.of('cycle.started').map(({ cycle, line }) => [cycle, line])).toEqual([
    [1, 'Cycle 1.'],
    [2, 'Cycle 2.'],
  ]);
  expect(run.of('cycle.reflected').map(({ text }) => text)).toEqual([
    'I stored an idea.',
    'I read it again.',
  ]);
  expect(run.log.state.messages.map(({ role }) => role)).toEqual([
    ...['system', 'user', 'assistant', 'tool', 'tool', 'assistant'],
    ...['user', 'assistant', 'tool', 'assistant'],
  ]);
  expect(results(run)).toEqual(['Stored "idea" (6 characters).', 'idea (6 characters)', 'clouds']);
  expect(run.sent(2).at(-2)).toMatchObject({ role: 'assistant', content: 'I stored an idea.' });
  expect(run.sent(2).at(-1)).toEqual({ role: 'user', content: 'Cycle 2.' });
});

it('keeps replies in the history unchanged, including thinking [X9, K-39]', async () => {
  await using run = await play({ ...explore, think: true }, [
    {
      reply: {
        content: '<think>Or not?</think> I write.',
        thinking: 'I could write.',
        tool_calls: [write('a', 'b')],
      },
    },
    says('Done.'),
  ]);
  const [reply] = run.of('model-call.ended');
  const [, , kept] = run.log.state.messages;
  expect(kept).toEqual(reply?.message);
  expect(kept).toMatchObject({ thinking: 'I could write.', content: '<think>Or not?</think> I write.' });
  expect(run.sent(1)[2]).toEqual(reply?.message);
});

it('only ever appends to the history [X13]', async () => {
  await using run = await play({ ...explore, max_cycles: 3 }, [
    { repeat: 3, steps: [calls(write('k{{n}}', 'v')), says('R{{n}}.')] },
  ]);
  let before: RunState['messages'] = [];
  for (const state of states(run)) {
    before.forEach((message, index) => {
      expect(state.messages[index]).toBe(message);
    });
    before = state.messages;
  }
  run.fake.chats.slice(1).forEach((_, index) => {
    expect(run.sent(index + 1).slice(0, run.sent(index).length)).toEqual(run.sent(index));
  });
});

it('test_parse_response_detects_tool_call [N7, X8, X10]', async () => {
  const tagged = `<tool_call>${JSON.stringify(read('k'))}</tool_call>`;
  await using run = await play(explore, [calls(write('k', 'v')), says(tagged), says('Done.')]);
  expect(run.of('reply.parsed').map(({ outcome, layer, calls }) => [outcome, layer, calls])).toMatchObject([
    ['tool_calls', 'native', [write('k', 'v')]],
    ['tool_calls', 'xml', [read('k')]],
    ['final_answer', 'none', []],
  ]);
});

it('test_parse_response_detects_final_reflection [N7, X8, K-22]', async () => {
  const quoted = JSON.stringify(write('k', 'v'));
  await using run = await play({ ...explore, max_cycles: 2 }, [
    says('I looked around.'),
    { reply: { content: quoted, tool_calls: [] } },
  ]);
  expect(run.of('cycle.reflected').map(({ text }) => text)).toEqual(['I looked around.', quoted]);
  expect(run.log.state.memory.size).toBe(0);
});

const EMPTY: JsonValue[] = [
  {},
  { message: null },
  { message: {} },
  { message: { content: '', tool_calls: [] } },
];

it.each(EMPTY)('test_parse_response_handles_empty_response: %j [N7, X8, K-28]', async (body) => {
  await using run = await play({ ...explore, max_cycles: 2, live_tokens: false }, [
    { fault: { kind: 'http', status: 200, body } },
    says('Something.'),
  ]);
  expect(run.of('cycle.reflected').map(({ text }) => text)).toEqual(['', 'Something.']);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', error: null });
});

it('test_execute_chat_completion_calls_client [N8, X5]', async () => {
  await using run = await play({ ...explore, model_options: { seed: 7 } }, [says('A note.')]);
  expect(run.fake.chats).toHaveLength(1);
  expect(run.fake.chats[0]).toMatchObject({
    model: 'play',
    messages: [{ role: 'system' }, { role: 'user', content: 'Cycle 1.' }],
    options: { seed: 7 },
    stream: true,
  });
  expect(run.fake.chats[0]?.tools).toHaveLength(6);
});

it('test_execute_chat_completion_returns_response [N8, X5]', async () => {
  await using run = await play(explore, [{ reply: { content: 'A note.', eval_count: 5 } }]);
  expect(run.of('model-call.ended')).toMatchObject([
    { message: { role: 'assistant', content: 'A note.' }, done_reason: 'stop', reply_tokens: 5 },
  ]);
});

it.each([
  [{ kind: 'http', status: 404, body: { error: 'model "play" not found' } }, 'model_missing', 404],
  [{ kind: 'not-json' }, 'bad_response', undefined],
  [{ kind: 'reset' }, 'cut_off', undefined],
] as const)('test_execute_chat_completion_handles_error: %j [N8, X6]', async (fault, kind, status) => {
  await using run = await play(
    explore,
    Array.from({ length: 9 }, () => ({ fault })),
  );
  const failed = run.of('model-call.failed');
  expect(failed[0]).toMatchObject({ kind, ...(status === undefined ? {} : { status }) });
  for (const { error } of failed) expect(error.message).toMatch(/^Error during chat completion: /);
  expect(run.end.result).toMatchObject({ termination_reason: 'error', status: 'failed' });
});

it("an exploration's error keeps status, kind and cause [X6]", () => {
  const cause = new ModelError({ kind: 'http', message: 'Ollama HTTP 500: boom', status: 500 });
  expect(exploreMode.failure?.(cause)).toMatchObject({
    name: 'OllamaResponseError',
    message: 'Error during chat completion: Ollama HTTP 500: boom',
    ...{ kind: 'http', status: 500, cause },
  });
});

it('test_full_react_loop_with_tool_call [N9, X7, X9, X11]', async () => {
  await using run = await play(explore, [calls(write('idea', 'Count the clouds.')), says('I stored it.')]);
  expect(run.fake.chats).toHaveLength(2);
  expect(run.log.state.memory.get('idea')?.value).toBe('Count the clouds.');
  expect(run.log.state.messages.map(({ role }) => role)).toEqual([
    ...['system', 'user', 'assistant', 'tool', 'assistant'],
  ]);
  expect(results(run)).toEqual(['Stored "idea" (17 characters).']);
  expect(run.log.state.reflections.map(({ text }) => text)).toEqual(['I stored it.']);
});

it('test_react_loop_logs_events [N9, X14, X15, X16, X18]', async () => {
  const model_options = { seed: 7, temperature: 0.5 };
  await using run = await play({ ...explore, model_options }, [calls(write('k', 'v')), says('Done.')]);
  const projection = new ExploreLogProjection();
  const entries = run.log.events.flatMap((event) => projection.take(event));
  expect(entries.map(({ event_type }) => event_type)).toEqual([
    ...['LLM_INVOCATION', 'TOOL_CALL', 'LLM_INVOCATION'],
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ run_id: 'run', cycle_number: 1 });
  expect(entries[0]?.payload).toMatchObject({
    prompt_messages: [{ role: 'system', content: EXPLORE_SYSTEM_PROMPT }, { content: 'Cycle 1.' }],
    response_message: { role: 'assistant', tool_calls: [{ function: write('k', 'v') }] },
    model_options,
  });
  expect(entries[1]?.payload).toEqual({
    tool_name: 'write',
    parameters: { key: 'k', value: 'v' },
    output: 'Stored "k" (1 character).',
  });
});

it('test_react_loop_with_multiple_tool_calls [N9, X10]', async () => {
  await using run = await play(explore, [
    calls(write('a', '1'), write('b', '2'), write('c', '3')),
    says('All three.'),
  ]);
  expect(run.fake.chats).toHaveLength(2);
  expect(results(run)).toEqual(['a', 'b', 'c'].map((key) => `Stored "${key}" (1 character).`));
  expect(run.sent(1).slice(-3)).toMatchObject([{ role: 'tool' }, { role: 'tool' }, { role: 'tool' }]);
});

it('test_react_loop_direct_reflection [N9, X11]', async () => {
  await using run = await play(explore, [says('Nothing to do.')]);
  expect(run.fake.chats).toHaveLength(1);
  expect(run.log.state.reflections.map(({ text }) => text)).toEqual(['Nothing to do.']);
  expect(run.log.state.messages.at(-1)).toEqual({ role: 'assistant', content: 'Nothing to do.' });
});

it('a cycle builds the prompt, calls the model, parses the reply and dispatches calls, in this order [X7]', async () => {
  await using run = await play(explore, [calls(write('a', '1'), read('a')), calls(read('a')), says('Done.')]);
  const states: Partial<Record<RunEventType, string>> = {
    'model-call.started': 'ASSEMBLE_PROMPT',
    'model-call.ended': 'INVOKE_LLM',
    'reply.parsed': 'PARSE_RESPONSE',
    'tool-call.started': 'DISPATCH_TOOL',
  };
  const call = ['ASSEMBLE_PROMPT', 'INVOKE_LLM', 'PARSE_RESPONSE'];
  expect(run.log.events.flatMap(({ type }) => states[type] ?? [])).toEqual([
    ...[...call, 'DISPATCH_TOOL', 'DISPATCH_TOOL'],
    ...[...call, 'DISPATCH_TOOL'],
    ...call,
  ]);
});

it("state and configuration of a run contain an exploration's data [X19]", async () => {
  const model_options = { seed: 7 };
  await using run = await play({ ...explore, max_cycles: 2, model_options }, [says('One.'), says('Two.')]);
  const { state } = run.log;
  expect(state.config).toMatchObject({ model: 'play', model_options });
  expect(state).toMatchObject({
    runId: run.log.events[0]?.run_id,
    cycle: { number: 2 },
    messages: { length: 5 },
    reflections: [{ text: 'One.' }, { text: 'Two.' }],
  });
});

it('treats an empty reply as a reflection with empty text [X8, K-28]', async () => {
  await using run = await play({ ...explore, max_cycles: 2 }, [silence, says('Something.')]);
  expect(run.of('cycle.reflected').map(({ text, ended_by }) => [text, ended_by])).toEqual([
    ['', 'reflection'],
    ['Something.', 'reflection'],
  ]);
  expect(run.sent(1).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
});

it('an empty reflection reports output that Ollama dropped [X8]', async () => {
  await using run = await play({ ...explore, max_cycles: 1 }, [{ reply: { content: '', eval_count: 27 } }]);
  expect(run.of('cycle.reflected')).toMatchObject([{ text: '', swallowed_tokens: 27 }]);
  expect(run.log.state.parsed.malformed).toBe(1);
});

it('the log of a failed call contains what was received [X14]', async () => {
  const cut = { reply: { thinking: 'Hm.', content: 'Some words to begin with.' } };
  await using run = await play({ ...explore, live_tokens: true, think: true }, [
    { ...cut, fault: { kind: 'error-line', error: 'the runner died', after_tokens: 4 } },
  ]);
  const projection = new ExploreLogProjection();
  const [entry] = run.log.events.flatMap((event) => projection.take(event));
  expect(exploreLogEntry.parse(JSON.parse(JSON.stringify(entry)))).toMatchObject({
    event_type: 'LLM_INVOCATION',
    payload: {
      response_message: { role: 'assistant', thinking: 'Hm.', content: expect.stringMatching(/^Some/) },
      partial: true,
    },
  });
});

it('parses native and tagged calls, treats bare JSON as text, and can be limited to native calls [K-22]', async () => {
  const body = JSON.stringify(write('a', 'b'));
  await using tagged = await play(explore, [says(`<tool_call>${body}</tool_call>`), says('Done.')]);
  expect(tagged.log.state.memory.get('a')?.value).toBe('b');
  expect(tagged.log.state.messages[2]).toEqual({
    role: 'assistant',
    content: `<tool_call>${body}</tool_call>`,
  });
  await using bare = await play(explore, [says(body)]);
  expect(bare.of('cycle.reflected')[0]?.text).toBe(body);
  await using native = await play({ ...explore, parser_layers: ['native'] }, [
    says(`<tool_call>${body}</tool_call>`),
  ]);
  expect(native.log.state.memory.size).toBe(0);
});

it('ends a cycle with too many calls, and the run after its last cycle [X22]', async () => {
  await using run = await play({ ...explore, max_cycles: 3, calls_per_cycle: 4 }, [
    { repeat: 100, steps: [calls(write('k', '{{turn}}'))] },
  ]);
  expect(run.fake.chats).toHaveLength(12);
  expect(run.of('cycle.reflected').map(({ ended_by }) => ended_by)).toEqual(Array(3).fill('call_limit'));
  expect(run.of('policy.warned')).toHaveLength(3);
  expect(run.log.state.reflections).toEqual([]);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('says where it was stopped, also before the first call of a cycle', () => {
  const log = new SampleLog({ config: { mode: 'explore' } }).prepare();
  const stoppedAt = (...more: NewEvent[]) => {
    for (const event of more) log.push(event);
    const stopped = { run_id: 'sample', seq: log.seq + 1, at: 0, ...stop() };
    const action = nextAction(foldAll(emptyRunState('sample'), [...log.events, stopped]), exploreMode);
    return action.type === 'append' ? action.events.at(-1) : undefined;
  };
  const message = (text: string) => ({ type: 'run.ended', message: `Stopped on request ${text}.` });
  expect(stoppedAt({ type: 'cycle.started', cycle: 1 })).toMatchObject(message('before the first call'));
  log.iteration().callStarts().reply({ text: 'Done.' });
  expect(
    stoppedAt({ type: 'cycle.reflected', cycle: 1, text: 'Done.', ended_by: 'reflection' }),
  ).toMatchObject(message('after call 1 of cycle 1'));
  expect(stoppedAt({ type: 'cycle.started', cycle: 2 })).toMatchObject(
    message('before the first call of cycle 2'),
  );
});

it('continues until stopped if no cycle limit is set [X22, S13, S14]', async () => {
  await using run = await play(
    { ...explore, max_cycles: null },
    [{ repeat: 1000, steps: [says('R{{n}}.')] }],
    {
      during: async ({ log }) => {
        await until(log, (events) => events.filter(({ type }) => type === 'cycle.reflected').length >= 30);
        log.append([stop()]);
      },
    },
  );
  expect(run.end.result.termination_reason).toBe('stopped');
  expect(run.log.state.cycle.number).toBeGreaterThanOrEqual(30);
  await using forced = await play(explore, [{ fault: { kind: 'hang' } }], {
    during: async ({ log }) => {
      await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
      log.append([stop(true)]);
    },
  });
  expect(forced.end).toMatchObject({ forced: true, message: 'Stopped immediately, in call 1 of cycle 1.' });
});

it('ends after three empty cycles in a row if there is no limit [K-20, K-24]', async () => {
  await using run = await play({ ...explore, max_cycles: null }, [says('One.'), silence]);
  expect(run.end.result).toMatchObject({ termination_reason: 'error', error: { code: 'empty_cycles' } });
  expect(run.log.state.cycle.number).toBe(4);
  await using patient = await play({ ...explore, max_cycles: null, max_empty_replies: 5 }, [silence]);
  expect(patient.log.state.cycle.number).toBe(5);
  await using bounded = await play({ ...explore, max_cycles: 5 }, [silence]);
  expect(bounded.end.result.termination_reason).toBe('final_answer');
});

it('names the reply limit if the empty cycles were cut off by it', async () => {
  const thoughts = { reply: { thinking: 'Hm.', eval_count: 4096, done_reason: 'length' } };
  await using run = await play({ ...explore, think: true, max_cycles: null, max_empty_replies: 1 }, [
    thoughts,
  ]);
  expect(run.end.result.error).toMatchObject({
    code: 'empty_cycles',
    message: expect.stringContaining('The last reply was cut off at the reply limit of 4,096 tokens'),
    hint: 'Raise the reply limit or the window, turn thinking off, or try another model.',
  });
});

it('does not count a cycle as empty whose only call used tools [X22]', async () => {
  const steps = [{ repeat: 6, steps: [calls(write('a', '{{n}}'))] }, says('Enough.'), silence];
  await using run = await play({ ...explore, max_cycles: null, calls_per_cycle: 1 }, steps);
  expect(run.end.result).toMatchObject({ termination_reason: 'error', error: { code: 'empty_cycles' } });
  expect(run.of('tool-call.ended')).toHaveLength(6);
  expect(run.log.state.cycle.number).toBe(10);
});

it('the opening line can be switched off [X23]', async () => {
  await using run = await play({ ...explore, max_cycles: 2, cycle_line: false }, [says('A.'), says('B.')]);
  expect(run.sent(0).map(({ role }) => role)).toEqual(['system']);
  expect(run.sent(1).map(({ role }) => role)).toEqual(['system', 'assistant']);
});

it('ends when its history is full, without shortening it [C10]', async () => {
  await using run = await play({ ...explore, max_cycles: 100, context_limit: 2000 }, [
    { repeat: 100, steps: [says('w'.repeat(1000))] },
  ]);
  expect(run.end.result.termination_reason).toBe('context_full');
  expect(run.of('policy.warned').at(-1)?.message).toContain(
    `full after ${run.of('cycle.reflected').length} completed cycles`,
  );
  expect(run.of('policy.compacted')).toEqual([]);
});

it('does not count the cycle in which its history becomes full as completed [C10]', async () => {
  await using run = await play({ ...explore, max_cycles: 100, context_limit: 2000 }, [
    says('Enough.'),
    { repeat: 100, steps: [calls(write('a', 'w'.repeat(1000)))] },
  ]);
  expect(run.end.result.termination_reason).toBe('context_full');
  expect(run.end.message).toMatch(/^The conversation is full after 1 completed cycle: /);
});

it('is complete if its last cycle fills the history [C10, X22]', async () => {
  await using run = await play({ ...explore, context_limit: 500 }, [says('w'.repeat(3000))]);
  expect(run.end).toMatchObject({
    result: { termination_reason: 'final_answer', status: 'completed' },
    message: 'The cycle is done.',
  });
});

it('never retries a truncated reply, which is already part of the history [T21]', async () => {
  await using run = await play({ ...explore, num_predict: [3, 3] }, [says('one two three four five')]);
  expect(run.fake.chats).toHaveLength(1);
  expect(run.of('policy.warned')[0]?.code).toBe('reply_cut');
});

it('memory survives cycles and a restart [O12, O13]', async () => {
  const steps = [
    calls(write('plan', 'look at the sky')),
    says('One.'),
    says('Two.'),
    calls(read('plan'), { name: 'delete', arguments: { key: 'plan' } }, read('plan')),
    says('Three.'),
  ];
  await using whole = await play({ ...explore, max_cycles: 3 }, steps);
  expect(results(whole)).toEqual([
    'Stored "plan" (15 characters).',
    'look at the sky',
    'Deleted "plan".',
    'Error: There is no memory "plan". Use list to see all keys.',
  ]);
  const [written] = whole.of('memory.changed');
  expect(written).toMatchObject({ cycle: 1, operation: 'write', key: 'plan', call_id: 'c1' });
  // Resuming any prefix on another server leads to the same end: the log is the database.
  const boundary = whole.log.events.findIndex(({ type }) => type === 'cycle.reflected');
  const events = whole.log.events.slice(0, boundary + 1);
  events.push({ type: 'run.resumed', run_id: 'run', seq: events.length + 1, at: 0, worker: 'w', epoch: 2 });
  await using resumed = await play({ ...explore, max_cycles: 3 }, steps, { events });
  expect(results(resumed)).toEqual(results(whole));
  expect(resumed.log.state.memory.size).toBe(0);
});

it('a failing tool returns an error text, and the cycle continues [O15]', async () => {
  await using run = await play(explore, [
    calls({ name: 'fly', arguments: {} }, { name: 'write', arguments: { key: 'a' } }, read('nothing')),
    says('I learned.'),
  ]);
  for (const text of results(run)) expect(text).toMatch(/^Error: /);
  expect(results(run)).toHaveLength(3);
  expect(run.of('cycle.reflected')[0]?.text).toBe('I learned.');
});

it('a message reaches the operator at once, and answers arrive only in a tool result [O14, K-42, N12]', async () => {
  await using run = await play(
    { ...explore, max_cycles: 2 },
    [
      calls(tell('I found something.')),
      { ...says('I wait for nobody.'), pace: { prompt_ms: 200 } },
      calls({ name: 'list' }),
      calls(tell('Are you there?')),
      says('Good.'),
    ],
    {
      during: async ({ log }) => {
        await until(log, (events) => events.some(({ type }) => type === 'agent.messaged'));
        log.append([
          { type: 'operator.messaged', message_id: 'm1', text: 'Tell me more.' },
          { type: 'operator.messaged', message_id: 'm2', text: 'Take your time.' },
        ]);
      },
    },
  );
  expect(run.of('agent.messaged').map(({ text, cycle }) => [text, cycle])).toEqual([
    ['I found something.', 1],
    ['Are you there?', 2],
  ]);
  expect(run.notices).toEqual(['[AGENT]: I found something.', '[AGENT]: Are you there?']);
  expect(results(run)).toEqual([
    'The message was sent. There is no answer yet.',
    'There are no memories yet.',
    'The message was sent. The operator said:\n\nTell me more.\n\nTake your time.',
  ]);
  expect(run.of('operator.delivered')).toMatchObject([
    { as: 'tool-result', message_ids: ['m1', 'm2'], call_id: 'c3' },
  ]);
  const users = run.log.state.messages.filter(({ role }) => role === 'user');
  expect(users.map(({ content }) => content)).toEqual(['Cycle 1.', 'Cycle 2.']);
  expect(run.log.state.operatorMessages.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
});

describe('an operator policy', () => {
  const asks = [calls(tell('Is anybody there?')), calls(tell('What is it like?')), says('I see.')];
  const answer = (text: string) => `The message was sent. The operator said:\n\n${text}`;
  const noAnswer = 'The message was sent. There is no answer yet.';

  it('"fixed" answers every message with the same reply, in the result of the same call', async () => {
    const request = { ...explore, model: 'play', operator_policy: 'fixed', operator_replies: ['Go on.'] };
    const config = resolveConfig(createRunRequest.parse(request), { workspace: '', offeredTools: [] });
    // A fork may have taken over a list.
    await using run = await play(() => ({ ...config, operator_replies: ['Go on.', 'Never used.'] }), asks);
    expect(results(run)).toEqual([answer('Go on.'), answer('Go on.')]);
    expect(run.of('operator.messaged')).toMatchObject([
      { message_id: 'p1', by: 'fixed', call_id: 'c1' },
      { message_id: 'p2', by: 'fixed', call_id: 'c2' },
    ]);
  });

  it('"list" gives each reply once, and then none', async () => {
    await using run = await play({ ...explore, operator_policy: 'list', operator_replies: ['Yes.'] }, asks);
    expect(results(run)).toEqual([answer('Yes.'), noAnswer]);
  });

  it('stays silent for other tools, empty messages, and when a person has already written', async () => {
    await using run = await play(
      { ...explore, operator_policy: 'fixed', operator_replies: ['Go on.'] },
      [
        calls({ name: 'list' }, tell(' ')),
        { ...calls(tell('Hello?')), pace: { prompt_ms: 200 } },
        says('Good.'),
      ],
      {
        during: async ({ log }) => {
          await until(log, (events) => events.some(({ type }) => type === 'tool-call.ended'));
          log.append([{ type: 'operator.messaged', message_id: 'm1', text: 'It is me.' }]);
        },
      },
    );
    expect(results(run).at(-1)).toBe(answer('It is me.'));
    expect(run.of('operator.messaged')).toHaveLength(1);
  });

  it('"model" asks a model with the whole conversation, and logs its request and reply', async () => {
    const replier = {
      name: 'replier',
      steps: [says('Yes, I am.'), { reply: { content: '<think>Hm.</think>Quiet.', eval_count: 7 } }],
    };
    const settings = { ...explore, operator_policy: 'model' as const, operator_model: 'replier' };
    await using run = await play({ ...settings, operator_prompt: 'You keep a lighthouse.' }, asks, {
      fake: { models: [{ name: 'play' }, { name: 'replier' }], scenarios: [replier] },
    });
    expect(results(run)).toEqual([answer('Yes, I am.'), answer('Quiet.')]);
    expect(run.of('operator-call.started')[1]).toMatchObject({
      ...{ call_id: 'c2', model: 'replier' },
      messages: [
        { role: 'system', content: 'You keep a lighthouse.' },
        { role: 'user', content: 'Is anybody there?' },
        { role: 'assistant', content: 'Yes, I am.' },
        { role: 'user', content: 'What is it like?' },
      ],
    });
    expect(run.of('operator-call.ended')[1]).toMatchObject({
      text: 'Quiet.',
      thinking: 'Hm.',
      reply_tokens: 7,
    });
    // Its tokens are not the run's.
    expect(run.log.state.calls).toBe(3);
    for (const event of run.log.events) expect(runEvent.safeParse(event).error).toBeUndefined();
  });

  it('"model" that fails costs the answer, not the run', async () => {
    const settings = { ...explore, operator_policy: 'model' as const, operator_model: 'replier' };
    const refusal = {
      fault: { kind: 'http' as const, status: 400, body: { error: 'No.' } },
      reply: { content: '' },
    };
    const fake = {
      models: [{ name: 'play' }, { name: 'replier' }],
      scenarios: [{ name: 'replier', steps: [refusal, refusal] }],
    };
    await using run = await play(settings, asks, { fake });
    expect(results(run)).toEqual([noAnswer, noAnswer]);
    expect(run.of('operator-call.ended')).toMatchObject([{ error: expect.any(String) }, { text: '' }]);
    expect(run.end.result.termination_reason).toBe('final_answer');
  });

  it('"model" that is not installed ends the run at its start, like the model of the run', async () => {
    const settings = { ...explore, operator_policy: 'model' as const, operator_model: 'nobody' };
    await using run = await play(settings, asks);
    expect(run.end.result).toMatchObject({
      termination_reason: 'error',
      error: { code: 'model_missing', message: expect.stringContaining('"nobody"') },
    });
    expect(run.of('model-call.started')).toEqual([]);
  });

  it('a model that no policy asks need not be installed', async () => {
    // A fork that changes the policy keeps the model of its run.
    const request = createRunRequest.parse({ ...explore, model: 'play' });
    const config = {
      ...resolveConfig(request, { workspace: '', offeredTools: [] }),
      operator_model: 'nobody',
    };
    await using run = await play(() => config, asks);
    expect(run.end.result.termination_reason).toBe('final_answer');
  });

  it('"model" is asked again by the next worker if it had not answered, and never twice', async () => {
    const replier = { name: 'replier', steps: [says('Yes.'), says('Quiet.')] };
    const fake = { models: [{ name: 'play' }, { name: 'replier' }], scenarios: [replier] };
    const settings = { ...explore, operator_policy: 'model' as const, operator_model: 'replier' };
    await using whole = await play(settings, asks, { fake });
    for (const [index, { type }] of whole.log.events.entries()) {
      if (!['operator-call.started', 'operator.messaged'].includes(type)) continue;
      const kept = whole.log.events.slice(0, index + 1);
      kept.push({ type: 'run.resumed', run_id: 'run', seq: kept.length + 1, at: 0, worker: 'w', epoch: 2 });
      await using resumed = await play(settings, asks, { fake, events: kept });
      expect(resumed.of('operator-call.ended').map(({ call_id }) => call_id)).toEqual(['c1', 'c2']);
      expect(resumed.of('operator.messaged')).toHaveLength(2);
    }
  });

  it('"model" whose slot comes back without the run’s model is asked all the same, and the other calls are made', async () => {
    const replier = { name: 'replier', steps: [says('Yes.')] };
    const config = {
      approval: { default: 'auto' as const, tools: { send_message_to_operator: 'ask' as const } },
    };
    let loads = 0;
    const left = Promise.withResolvers<true>();
    let others: true | undefined;
    await using run = await play(
      { ...explore, ...config, operator_policy: 'model', operator_model: 'replier' },
      [calls(tell('Is anybody there?'), { name: 'list' }), says('Good.')],
      {
        fake: { models: [{ name: 'play' }, { name: 'replier' }], scenarios: [replier] },
        during: async ({ log }) => {
          others = await left.promise;
          const call = { call_id: 'c1', tool: 'send_message_to_operator' };
          log.append([{ type: 'approval.decided', ...call, decision: 'approved', by: 'operator' }]);
        },
        loop: ({ model }) => ({
          model: {
            ...model,
            load: async (...asked) => {
              loads += 1;
              if (loads === 2) throw new ModelError({ kind: 'busy', message: 'Busy.' });
              return model.load(...asked);
            },
          },
          leaveSlot: async () => left.resolve(true),
          takeSlot: async () => others,
        }),
      },
    );
    expect(run.of('policy.retried')).toMatchObject([{ cause: 'transient', message: 'Busy.' }]);
    expect(results(run)).toEqual([answer('Yes.'), expect.stringContaining('no memories')]);
  });

  it('"wait" releases the run until a person replies, or stops it', async () => {
    await using run = await play({ ...explore, operator_policy: 'wait' }, asks);
    expect(run.outcome).toEqual({ outcome: 'waiting' });
    expect(run.log.state).toMatchObject({ phase: 'awaiting-message', awaiting: { cause: 'agent_message' } });
    const events = [...run.log.events];
    const next = () => ({ run_id: 'run', seq: events.length + 1, at: 0 });
    events.push({ type: 'operator.messaged', message_id: 'm1', text: 'I am.', ...next() });
    events.push({ type: 'run.resumed', worker: 'w', epoch: 2, after_wait: true, ...next() });
    await using second = await play({ ...explore, operator_policy: 'wait' }, asks, { events });
    expect(results(second)).toEqual([answer('I am.')]);
    expect(second.outcome).toEqual({ outcome: 'waiting' });
    const stopped = [...second.log.events];
    const following = () => ({ run_id: 'run', seq: stopped.length + 1, at: 0 });
    stopped.push({ type: 'stop.requested', force: false, by: 'operator', ...following() });
    stopped.push({ type: 'run.resumed', worker: 'w', epoch: 3, after_wait: true, ...following() });
    await using third = await play({ ...explore, operator_policy: 'wait' }, asks, { events: stopped });
    expect(results(third)).toEqual([answer('I am.'), noAnswer]);
    expect(third.end.result.termination_reason).toBe('stopped');
  });

  it('names the missing fields of a policy', () => {
    const problems = (more: object) =>
      createRunRequest
        .safeParse({ mode: 'explore', model: 'm', ...more })
        .error?.issues.map(({ path }) => path[0]);
    expect(problems({ operator_policy: 'list' })).toEqual(['operator_replies']);
    expect(problems({ operator_policy: 'model' })).toEqual(['operator_model']);
    expect(problems({ operator_policy: 'fixed', operator_replies: [] })).toContain('operator_replies');
    expect(problems({ operator_policy: 'wait' })).toBeUndefined();
  });
});

it('hands over within a cycle, and the cycle continues', async () => {
  const scenario = {
    name: 'play',
    match: 'handed over to this fresh context',
    steps: [
      { reply: { content: 'One.', prompt_eval_count: 300 } },
      { reply: { content: 'Two.', prompt_eval_count: 320 } },
    ],
  };
  await using run = await play(
    { ...explore, max_cycles: 2, context_limit: 1000, handover_at: 0.8 },
    [
      { reply: { tool_calls: [write('plan', 'w'.repeat(500))], prompt_eval_count: 850 } },
      { reply: { content: 'I stored a plan.', prompt_eval_count: 990 } },
    ],
    { fake: { models: [{ name: 'play' }], scenarios: [scenario] } },
  );
  expect(run.of('cycle.reflected').map(({ text }) => text)).toEqual(['One.', 'Two.']);
  expect(run.of('handover.ended')).toMatchObject([{ outcome: 'done' }]);
  expect(run.sent(2).map(({ role }) => role)).toEqual(['system', 'user']);
  expect(run.log.state.memory.size).toBe(1);
  // The summary never counts as a call of the cycle, neither while it is written nor afterwards.
  const counted = states(run)
    .filter(({ phase }) => phase === 'calling')
    .map((state) => ledgerOf(state, 0).find(({ id }) => id === 'calls-per-cycle')?.used);
  expect(counted).toEqual([1, 1, 2, 1]);
});

it('counts the summary of a handover between two cycles with the cycle before it', async () => {
  const scenario = {
    name: 'play',
    match: 'handed over to this fresh context',
    steps: [{ reply: { content: 'Two.', prompt_eval_count: 320, eval_count: 5 } }],
  };
  await using run = await play(
    { ...explore, max_cycles: 2, context_limit: 1000, handover_at: 0.8 },
    [
      { reply: { content: `One ${'w'.repeat(600)}.`, prompt_eval_count: 850, eval_count: 150 } },
      { reply: { content: 'I thought about w.', prompt_eval_count: 990, eval_count: 20 } },
    ],
    { fake: { models: [{ name: 'play' }], scenarios: [scenario] } },
  );
  const types = run.log.events.map(({ type }) => type);
  expect(types.indexOf('handover.started')).toBeGreaterThan(types.indexOf('cycle.reflected'));
  const { cycles } = foldCycles(noCycles, run.log.events);
  expect(cycles.map(({ modelCalls }) => modelCalls)).toEqual([2, 1]);
  const total = (of: 'tokensIn' | 'tokensOut') => cycles.reduce((sum, cycle) => sum + cycle[of], 0);
  expect(total('tokensIn')).toBe(run.end.result.tokens_in);
  expect(total('tokensOut')).toBe(run.end.result.tokens_out);
});

it('returns undelivered messages when the run ends', async () => {
  await using run = await play(explore, [says('Nothing to say.')], {
    during: async ({ log }) => {
      log.append([{ type: 'operator.messaged', message_id: 'm1', text: 'Hello?' }]);
    },
  });
  expect(run.log.state.operatorMessages).toMatchObject([{ id: 'm1', status: 'returned' }]);
});

const alike = 'I wandered through my memories and found nothing new today.';

it('two equal reflections add feedback to every call of the third cycle only [X21]', async () => {
  await using run = await play({ ...explore, max_cycles: 4, diversity: {} }, [
    says(alike),
    says(alike),
    calls({ name: 'list' }),
    says('Now the tides and how the moon pulls at them interest me.'),
    says('The end.'),
  ]);
  const advice = run.of('diversity.advised');
  expect(advice.map(({ cycle, similarity }) => [cycle, Math.round(similarity * 10) / 10])).toEqual([
    [3, 1],
    [4, 0],
  ]);
  expect(advice[0]).toMatchObject({ measure: 'ngram', nearest_cycle: 1, compared: [1], threshold: 0.6 });
  const systems = run.fake.chats.map((_, index) => run.sent(index)[0]?.content);
  expect(systems[0]).toBe(EXPLORE_SYSTEM_PROMPT);
  expect(systems[2]).toBe(`${EXPLORE_SYSTEM_PROMPT}\n\n${advice[0]?.feedback}`);
  expect(systems[3]).toBe(systems[2]);
  expect(systems[4]).toBe(EXPLORE_SYSTEM_PROMPT);
  expect(run.log.state.messages[0]?.content).toBe(EXPLORE_SYSTEM_PROMPT);
});

it('records similarity without telling the model, if the run only measures [X21]', async () => {
  await using run = await play({ ...explore, max_cycles: 3, diversity: {}, diversity_feedback: false }, [
    says(alike),
  ]);
  expect(run.of('diversity.advised')).toMatchObject([{ cycle: 3, similarity: 1, nearest_cycle: 1 }]);
  expect(run.of('diversity.advised')[0]).not.toHaveProperty('feedback');
  const systems = run.fake.chats.map((_, index) => run.sent(index)[0]?.content);
  expect(new Set(systems)).toEqual(new Set([EXPLORE_SYSTEM_PROMPT]));
});

it('embeds each reflection once, and the log keeps the embeddings [X21]', async () => {
  await using run = await play(
    { ...explore, max_cycles: 4, diversity: { embedding_model: 'embedder' } },
    [says('red green'), says('red blue'), says('blue sky'), says('End.')],
    { fake: { models: [{ name: 'play' }, { name: 'embedder' }] } },
  );
  const recorded = run.of('diversity.advised').map(({ vectors }) => vectors?.map(({ cycle }) => cycle));
  expect(recorded).toEqual([[1, 2], [3], [4]]);
  const { cycles } = foldCycles(noCycles, run.log.events);
  expect(cycles.map(({ vector }) => vector?.length)).toEqual(
    run.log.state.reflections.map(({ vector }) => vector?.length),
  );
  // The model and the figures get the same number.
  const matrix = similarityMatrix([foldCycles(noCycles, run.log.events)]);
  const [, second] = run.of('diversity.advised');
  expect(matrix.measure).toBe('embeddings');
  expect(Math.max(...(matrix.values[2]?.slice(0, 2).map(Number) ?? []))).toBe(second?.similarity);
});

it('is off by default [X21]', async () => {
  await using run = await play({ ...explore, max_cycles: 4 }, [says(alike)]);
  expect(run.of('diversity.advised')).toEqual([]);
});

it('compares by embeddings if a model is configured, and by words if that fails [X21]', async () => {
  const settings = { ...explore, max_cycles: 3 };
  await using embedded = await play(
    { ...settings, diversity: { embedding_model: 'embedder' } },
    [says('red green blue'), says('blue green red'), says('End.')],
    { fake: { models: [{ name: 'play' }, { name: 'embedder' }] } },
  );
  expect(embedded.of('diversity.advised')).toMatchObject([
    { measure: 'embeddings', cycle: 3, feedback: expect.stringContaining('100%') },
    { measure: 'embeddings', cycle: 3, compared: [1, 2] },
  ]);
  expect(embedded.of('diversity.advised')[1]?.feedback).toBeUndefined();
  expect(embedded.of('diversity.advised')[0]?.similarity).toBeCloseTo(1);
  await using failed = await play({ ...settings, diversity: { embedding_model: 'nobody' } }, [says(alike)]);
  expect(failed.of('policy.warned')[0]).toMatchObject({ code: 'embeddings_failed' });
  expect(failed.of('diversity.advised')).toMatchObject([
    { measure: 'ngram', similarity: 1 },
    { measure: 'ngram', similarity: 1 },
  ]);
  expect(failed.end.result.termination_reason).toBe('final_answer');
});

it("includes the novelty by embeddings in an experiment's result, for the last reflection too", async () => {
  const replies = [says('red green blue'), says('blue green red'), says('red blue green')];
  const settings = { ...explore, max_cycles: 3 };
  const novelty = async (diversity: object) => {
    const fake = { models: [{ name: 'play' }, { name: 'embedder' }] };
    await using run = await play({ ...settings, diversity }, replies, { fake });
    const pages = (async function* () {
      yield run.log.events;
    })();
    const result = await resultOfLog(pages);
    const cycles = foldCycles(noCycles, run.log.events).cycles;
    return { result, last: cycles.at(-1) };
  };
  // The same words in another order: nothing new by embeddings, everything by groups of three words.
  const embedded = await novelty({ embedding_model: 'embedder' });
  expect(embedded.result).toMatchObject({ novelty: expect.closeTo(0), novelty_measure: 'embeddings' });
  expect(embedded.last).toMatchObject({ novelty: expect.closeTo(0), noveltyMeasure: 'embeddings' });
  expect((await novelty({})).result).toMatchObject({ novelty: 1, novelty_measure: 'ngram' });
});

it('the log contains each call with its request, reply and actions [X14, X15, X16, X17, N12]', async () => {
  await using run = await play({ ...explore, max_cycles: 2, model_options: { seed: 3 } }, [
    calls(write('a', 'b'), read('zzz')),
    says('One.'),
    says('Two.'),
  ]);
  const projection = new ExploreLogProjection();
  const texts: string[] = [];
  const entries = run.log.events.flatMap((event) => {
    const fresh = projection.take(event);
    for (const entry of fresh) texts.push(JSON.stringify(entry));
    return fresh;
  });
  // X17: written entries never change.
  expect(entries.map((entry) => JSON.stringify(entry))).toEqual(texts);
  for (const entry of entries) exploreLogEntry.parse(JSON.parse(JSON.stringify(entry)));
  expect(entries.map(({ event_type, cycle_number }) => [event_type, cycle_number])).toEqual([
    ['LLM_INVOCATION', 1],
    ['TOOL_CALL', 1],
    ['TOOL_CALL', 1],
    ['LLM_INVOCATION', 1],
    ['LLM_INVOCATION', 2],
  ]);
  const invocations = entries.filter((entry) => entry.event_type === 'LLM_INVOCATION');
  invocations.forEach(({ payload }, index) => {
    expect(JSON.parse(JSON.stringify(payload.prompt_messages))).toEqual(run.sent(index));
    expect(payload.model_options).toEqual(run.fake.chats[index]?.options);
  });
  expect(entries[2]?.payload).toEqual({
    tool_name: 'read',
    parameters: { key: 'zzz' },
    output: 'Error: There is no memory "zzz". Use list to see all keys.',
  });
});
