import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { calls, type Play, play, says, silence, stop, until } from '../runs/play.ts';
import { ExploreLogProjection, exploreLogEntry } from '../sharing/exports/explore-log.ts';
import { EXPLORE_SYSTEM_PROMPT } from './explore-prompt.ts';

const explore = { mode: 'explore' as const, max_cycles: 1 };
const write = (key: string, value: string) => ({ name: 'write', arguments: { key, value } });
const read = (key: string) => ({ name: 'read', arguments: { key } });
const tell = (message: string) => ({ name: 'send_message_to_operator', arguments: { message } });

const results = (run: Play) =>
  run.log.state.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
const states = (run: Play): RunState[] => {
  let state = emptyRunState('run');
  return run.log.events.map((event) => {
    state = foldAll(state, [event]);
    return state;
  });
};

it('X1, X2, X4, X5, X18, X23, O11, O16: asks with the exact prompt, six tools, and the options of the run', async () => {
  await using run = await play(
    { ...explore, model_options: { temperature: 0.7, seed: 42, num_predict: 300 } },
    [calls(write('a', 'b')), says('Enough.')],
  );
  for (const chat of run.fake.chats) {
    expect(chat).toMatchObject({
      stream: false,
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

it('X7, X10, X11, X12, N12: cycles of calls and a reflection follow each other over one history', async () => {
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

it('X9, K-39: replies stay in the history as they came, thoughts included', async () => {
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

it('X13: the history is only ever extended', async () => {
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

it('X8, K-28: an empty reply is a reflection with empty text', async () => {
  await using run = await play({ ...explore, max_cycles: 2 }, [silence, says('Something.')]);
  expect(run.of('cycle.reflected').map(({ text, ended_by }) => [text, ended_by])).toEqual([
    ['', 'reflection'],
    ['Something.', 'reflection'],
  ]);
  expect(run.sent(1).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
});

it('K-22: reads native calls and tags; bare JSON is a quotation, and native alone is a setting', async () => {
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

it('X22: a cycle of too many calls is ended by the harness, and the run by its last cycle', async () => {
  await using run = await play({ ...explore, max_cycles: 3, calls_per_cycle: 4 }, [
    { repeat: 100, steps: [calls(write('k', '{{turn}}'))] },
  ]);
  expect(run.fake.chats).toHaveLength(12);
  expect(run.of('cycle.reflected').map(({ ended_by }) => ended_by)).toEqual(Array(3).fill('call_limit'));
  expect(run.of('policy.warned')).toHaveLength(3);
  expect(run.log.state.reflections).toEqual([]);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('X22, S13, S14: goes on until it is stopped when no number of cycles is given', async () => {
  await using run = await play(
    { ...explore, max_cycles: null },
    [{ repeat: 1000, steps: [says('R{{n}}.')] }],
    {
      during: async ({ log }) => {
        await until(log, (events) => events.filter(({ type }) => type === 'cycle.reflected').length >= 30);
        await log.append([stop()]);
      },
    },
  );
  expect(run.end.result.termination_reason).toBe('stopped');
  expect(run.log.state.cycle.number).toBeGreaterThanOrEqual(30);
  await using forced = await play(explore, [{ fault: { kind: 'hang' } }], {
    during: async ({ log }) => {
      await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
      await log.append([stop(true)]);
    },
  });
  expect(forced.end).toMatchObject({ forced: true, message: 'Stopped at once, in call 1 of cycle 1.' });
});

it('K-20, K-24: without a limit, three silent cycles in a row end it', async () => {
  await using run = await play({ ...explore, max_cycles: null }, [says('One.'), silence]);
  expect(run.end.result).toMatchObject({ termination_reason: 'error', error: { code: 'empty_cycles' } });
  expect(run.log.state.cycle.number).toBe(4);
  await using bounded = await play({ ...explore, max_cycles: 5 }, [silence]);
  expect(bounded.end.result.termination_reason).toBe('final_answer');
});

it('X23: the opening line is switchable', async () => {
  await using run = await play({ ...explore, max_cycles: 2, cycle_line: false }, [says('A.'), says('B.')]);
  expect(run.sent(0).map(({ role }) => role)).toEqual(['system']);
  expect(run.sent(1).map(({ role }) => role)).toEqual(['system', 'assistant']);
});

it('C10: ends when its history is full, and never shortens it', async () => {
  await using run = await play({ ...explore, max_cycles: 100, context_limit: 2000 }, [
    { repeat: 100, steps: [says('w'.repeat(1000))] },
  ]);
  expect(run.end.result.termination_reason).toBe('context_full');
  expect(run.of('policy.warned').at(-1)?.message).toMatch(/full after \d+ cycles/);
  expect(run.of('policy.compacted')).toEqual([]);
});

it('C10, X22: is complete when its last cycle fills the history', async () => {
  await using run = await play({ ...explore, context_limit: 500 }, [says('w'.repeat(3000))]);
  expect(run.end).toMatchObject({
    result: { termination_reason: 'final_answer', status: 'completed' },
    message: 'The cycle is done.',
  });
});

it('T21: a reply that was cut is never asked for again; it is part of the history already', async () => {
  await using run = await play({ ...explore, num_predict: [3, 3] }, [says('one two three four five')]);
  expect(run.fake.chats).toHaveLength(1);
  expect(run.of('policy.warned')[0]?.code).toBe('reply_cut');
});

it('O12, O13: memory lasts across cycles and through a restart in the middle', async () => {
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
    'Error: There is no memory "plan". list shows all keys.',
  ]);
  const [written] = whole.of('memory.changed');
  expect(written).toMatchObject({ cycle: 1, operation: 'write', key: 'plan', call_id: 'c1' });
  // Every prefix, taken up by another server, comes to the same end: the log is the database.
  const boundary = whole.log.events.findIndex(({ type }) => type === 'cycle.reflected');
  const events = whole.log.events.slice(0, boundary + 1);
  events.push({ type: 'run.resumed', run_id: 'run', seq: events.length + 1, at: 0, worker: 'w', epoch: 2 });
  await using resumed = await play({ ...explore, max_cycles: 3 }, steps, { events });
  expect(results(resumed)).toEqual(results(whole));
  expect(resumed.log.state.memory.size).toBe(0);
});

it('O15: a failing tool is an error text, and the cycle goes on', async () => {
  await using run = await play(explore, [
    calls({ name: 'fly', arguments: {} }, { name: 'write', arguments: { key: 'a' } }, read('nothing')),
    says('I learned.'),
  ]);
  for (const text of results(run)) expect(text).toMatch(/^Error: /);
  expect(results(run)).toHaveLength(3);
  expect(run.of('cycle.reflected')[0]?.text).toBe('I learned.');
});

it('O14, K-42, N12: a message reaches the operator at once, and an answer comes only with a tool result', async () => {
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
        await log.append([
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

it('what the agent never asked about is returned when the run ends', async () => {
  await using run = await play(explore, [says('Nothing to say.')], {
    during: async ({ log }) => {
      await log.append([{ type: 'operator.messaged', message_id: 'm1', text: 'Hello?' }]);
    },
  });
  expect(run.log.state.operatorMessages).toMatchObject([{ id: 'm1', status: 'returned' }]);
});

const alike = 'I wandered through my memories and found nothing new today.';

it('X21: two equal reflections bring feedback in every call of the third cycle, and only there', async () => {
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

it('X21: is off unless set', async () => {
  await using run = await play({ ...explore, max_cycles: 4 }, [says(alike)]);
  expect(run.of('diversity.advised')).toEqual([]);
});

it('X21: compares by embeddings when a model is configured, and by words when it fails', async () => {
  const settings = { ...explore, max_cycles: 3 };
  await using embedded = await play(
    { ...settings, diversity: { embedding_model: 'embedder' } },
    [says('red green blue'), says('blue green red'), says('End.')],
    { fake: { models: [{ name: 'play' }, { name: 'embedder' }] } },
  );
  expect(embedded.of('diversity.advised')).toMatchObject([
    { measure: 'embeddings', cycle: 3, feedback: expect.stringContaining('100 %') },
  ]);
  expect(embedded.of('diversity.advised')[0]?.similarity).toBeCloseTo(1);
  await using failed = await play({ ...settings, diversity: { embedding_model: 'nobody' } }, [says(alike)]);
  expect(failed.of('policy.warned')[0]).toMatchObject({ code: 'embeddings_failed' });
  expect(failed.of('diversity.advised')).toMatchObject([{ measure: 'ngram', similarity: 1 }]);
  expect(failed.end.result.termination_reason).toBe('final_answer');
});

it('X6: a failed call says that it was a chat completion, and keeps the status', async () => {
  await using run = await play(explore, [{ fault: { kind: 'http', status: 400, body: { error: 'odd' } } }]);
  expect(run.of('model-call.failed')[0]).toMatchObject({
    status: 400,
    error: { message: expect.stringMatching(/^Error during chat completion: .*odd/) },
  });
  expect(run.end.result).toMatchObject({ termination_reason: 'error', status: 'failed' });
});

it('X14, X15, X16, X17, N12: the log has every call with what was sent, received and done', async () => {
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
  // X17: what was written stays as it was, whatever came later.
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
    output: 'Error: There is no memory "zzz". list shows all keys.',
  });
});
