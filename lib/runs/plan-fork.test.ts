import { describe, expect, it } from 'vitest';
import { type ForkRequest, forkRequest } from '../api/fork-run.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { forkProblem } from '../events/fork-point.ts';
import { forkedLog } from '../events/forked-log.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { calls, type PlayedRun, play, says, until } from '../testing/loop-harness.ts';
import { completedLog, runningLog } from '../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../testing/sample-modes.ts';
import type { JsonObject } from '../util/json.ts';
import { builtInTools } from './built-in-tools.ts';
import { draftFork, findForkPoint, planFork } from './plan-fork.ts';

type Request = Parameters<typeof forkRequest.parse>[0];

/** The log of a fork of these events, as a store would make it, taken by a worker. */
async function forkOf(events: readonly RunEvent[], request: Request, taken = false): Promise<RunEvent[]> {
  const parsed = forkRequest.parse(request);
  const runId = events[0]?.run_id ?? '';
  const point = await findForkPoint(runId, [events], parsed.at);
  const facts = { workspace: point.state.config.workspace, files: { kind: 'same' as const } };
  const plan = planFork(point, parsed, facts);
  const log = forkedLog({
    id: 'fork',
    config: plan.config,
    parent: { run_id: runId, seq: point.seq },
    prefix: events.slice(0, point.seq),
    events: plan.events,
    at: 5e12,
  });
  for (const event of log) expect(runEvent.safeParse(event).error).toBeUndefined();
  const last = log.at(-1);
  return taken && last
    ? [
        ...log,
        { type: 'run.started', worker: 'test', epoch: 1, run_id: 'fork', seq: last.seq + 1, at: last.at },
      ]
    : log;
}

const state = (events: readonly RunEvent[]) => foldAll(emptyRunState(events[0]?.run_id ?? ''), events);

/** The fork, continued by the engine. */
const goOn = async (parent: PlayedRun, request: Request, steps: Parameters<typeof play>[1]) =>
  play(
    parent.config.mode === 'task'
      ? { task: 'Not used', agentic: parent.config.agentic }
      : { mode: parent.config.mode },
    steps,
    {
      events: await forkOf(parent.log.events, request, true),
    },
  );

/** The steps that the source run has used: a scripted model derives its position from the conversation. */
const played = says('Played already.');
const read = { name: 'read_file', arguments: { path: 'a.txt' } };

describe('fork from any iteration with an edited …', () => {
  it('message: the model is asked again from there, and the copied part is the same', async () => {
    await using parent = await play({ task: 'Read a.txt' }, [calls(read), calls(read), says('Old.')], {
      files: { 'a.txt': 'one' },
    });
    const edits = [{ target: 'message' as const, index: 1, content: 'Read b.txt' }];
    await using fork = await goOn(parent, { at: { before_iteration: 2 }, edits }, [played, says('New.')]);
    expect(fork.end.result).toMatchObject({ output: 'New.', iterations_used: 2 });
    expect(fork.sent(0).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(fork.sent(0)[1]).toEqual({ role: 'user', content: 'Read b.txt' });
    expect(fork.sent(0).slice(2)).toEqual(parent.sent(1).slice(2));
    const [forked] = fork.of('run.forked');
    expect(forked).toMatchObject({
      iteration: 1,
      edits: [{ target: 'message', index: 1, role: 'user', before: 'Read a.txt', after: 'Read b.txt' }],
    });
    const copied = (forked?.seq ?? 0) - 1;
    expect(fork.log.events.slice(1, copied)).toEqual(
      parent.log.events.slice(1, copied).map((event) => ({ ...event, run_id: 'fork' })),
    );
  });

  it('tool result, between two calls of one reply: the second still runs', async () => {
    await using parent = await play({ task: 'Read' }, [calls(read, read), says('Old.')], {
      files: { 'a.txt': 'one' },
    });
    const [first] = parent.of('tool-call.ended');
    const seq = first?.seq ?? 0;
    const index = (await findForkPoint('run', [parent.log.events], { seq })).state.messages.length - 1;
    const content = JSON.stringify({ success: true, tool: 'read_file', output: 'two' });
    await using fork = await goOn(parent, { at: { seq }, edits: [{ target: 'message', index, content }] }, [
      played,
      says('New.'),
    ]);
    const sent = fork.sent(0).filter(({ role }) => role === 'tool');
    expect(sent.map((message) => message.content.includes('two'))).toEqual([true, false]);
    expect(fork.of('tool-call.ended')).toHaveLength(2);
    expect(fork.end.result.output).toBe('New.');
  });

  it('arguments of a call: the tool is run with them, and the conversation has them', async () => {
    const files = { 'a.txt': 'one', 'b.txt': 'two' };
    await using parent = await play({ task: 'Read' }, [calls(read), says('Old.')], { files });
    const [started] = parent.of('tool-call.started');
    const at = { before_call: started?.call_id ?? '' };
    const edits = [{ target: 'call' as const, call_id: at.before_call, arguments: { path: 'b.txt' } }];
    await using fork = await goOn(parent, { at, edits }, [played, says('New.')]);
    expect(fork.of('tool-call.ended').map(({ result }) => JSON.stringify(result))).toEqual([
      expect.stringContaining('two'),
    ]);
    const [asked] = fork.sent(0).flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(asked?.function).toEqual({ name: 'read_file', arguments: { path: 'b.txt' } });
    expect(fork.of('run.forked')[0]?.edits).toEqual([
      {
        target: 'call',
        call_id: at.before_call,
        tool: 'read_file',
        before: { path: 'a.txt' },
        after: { path: 'b.txt' },
      },
    ]);
    expect(parent.of('tool-call.ended')).toHaveLength(1);
  });

  it('arguments of the second call of a reply: the first is not made again', async () => {
    await using parent = await play({ task: 'Read' }, [calls(read, read), says('Old.')], {
      files: { 'a.txt': 'one' },
    });
    const second = parent.of('tool-call.started')[1]?.call_id ?? '';
    const draft = draftFork(await findForkPoint('run', [parent.log.events], { before_call: second }));
    expect(draft.calls).toMatchObject([
      {
        call_id: second,
        tool: 'read_file',
        arguments: { path: 'a.txt' },
        parameters: { required: ['path'] },
      },
    ]);
    const edits = [{ target: 'call' as const, call_id: second, arguments: { path: 'other.txt' } }];
    await using fork = await goOn(parent, { at: { before_call: second }, edits }, [played, says('New.')]);
    expect(
      fork
        .of('tool-call.started')
        .map(({ call_id }) => call_id)
        .at(-1),
    ).toBe(second);
    expect(fork.of('tool-call.started')).toHaveLength(2);
    const paths = fork.sent(0).flatMap(({ tool_calls }) => tool_calls?.map((call) => call.function) ?? []);
    expect(paths.map(({ arguments: args }) => args)).toEqual([{ path: 'a.txt' }, { path: 'other.txt' }]);
    expect(fork.log.state.callHistory.at(-1)?.map((call) => call.arguments)).toEqual([
      { path: 'a.txt' },
      { path: 'other.txt' },
    ]);
  });

  it('arguments that do not fit the tool are refused, and so is a call that is made already', async () => {
    await using parent = await play({ task: 'Read' }, [calls(read), says('Old.')]);
    const [started] = parent.of('tool-call.started');
    const [result] = parent.of('tool-call.ended');
    const call_id = started?.call_id ?? '';
    const edit = (args: JsonObject) => ({ edits: [{ target: 'call' as const, call_id, arguments: args }] });
    const fork = (request: Request) => expect(forkOf(parent.log.events, request)).rejects;
    await fork({ at: { before_call: call_id }, ...edit({ path: 3 }) }).toThrow(/path/);
    await fork({ at: { before_call: call_id }, ...edit({}) }).toThrow(/path/);
    await fork({ at: { seq: result?.seq ?? 0 }, ...edit({ path: 'b' }) }).toThrow('is pending there');
    await fork({ at: { before_call: 'c99' } }).toThrow('no call "c99"');
  });

  it('reply text: an answer that was edited is the answer', async () => {
    await using parent = await play({ task: 'Say', nudge_plans: false }, [says('Old answer.')]);
    const [reply] = parent.of('reply.parsed');
    const edits = [{ target: 'reply' as const, content: 'Edited answer.' }];
    await using fork = await goOn(parent, { at: { seq: reply?.seq ?? 0 }, edits }, [played]);
    expect(fork.end.result.output).toBe('Edited answer.');
    expect(fork.fake.chats).toHaveLength(0);
  });

  it('reply text: a call that could not be read is replaced by an answer', async () => {
    const broken = says('<tool_call>{"name": "read_file", "arguments": {"path": ');
    await using parent = await play({ task: 'Say' }, [broken, says('Old answer, done.')]);
    const [reply] = parent.of('reply.parsed');
    const edits = [{ target: 'reply' as const, content: 'The work is completed.' }];
    await using fork = await goOn(parent, { at: { seq: reply?.seq ?? 0 }, edits }, [played]);
    expect(fork.end.result.output).toBe('The work is completed.');
    expect(fork.end.outcome).toEqual({ kind: 'answered' });
    expect(fork.fake.chats).toHaveLength(0);
  });

  it('reply text or schema: the answer is judged again', async () => {
    const answer_schema = { type: 'object', required: ['n'] };
    await using parent = await play({ task: 'Say', answer_schema }, [says('{"m": 1}'), says('{"n": 1}')]);
    const [judged] = parent.of('answer.checked');
    expect(judged?.fits).toBe(false);
    const at = { seq: judged?.seq ?? 0 };
    const edits = [{ target: 'reply' as const, content: '{"n": 7}' }];
    await using edited = await goOn(parent, { at, edits }, [played]);
    expect(edited.end.result.output).toBe('{"n": 7}');
    expect(edited.end.outcome).toEqual({ kind: 'answered' });
    expect(edited.fake.chats).toHaveLength(0);
    const settings = { answer_schema: { type: 'object', required: ['m'] } };
    await using changed = await goOn(parent, { at, settings }, [played]);
    expect(changed.end.result.output).toBe('{"m": 1}');
  });

  it('window and reply limit among the model options: the next request has them', async () => {
    await using parent = await play({ task: 'Read' }, [calls(read), says('Old.')]);
    const settings = { model_options: { num_ctx: 4096, num_predict: 77 } };
    await using fork = await goOn(parent, { at: { before_iteration: 2 }, settings }, [played, says('New.')]);
    expect(fork.fake.chats[0]).toMatchObject({ options: { num_ctx: 4096, num_predict: 77 } });
    expect(fork.log.state.config).toMatchObject({
      window_tokens: 4096,
      num_predict: [77, 77],
      model_options: {},
    });
    const contradictory = { model_options: { num_ctx: 4096 }, window_tokens: 8192 };
    expect(forkRequest.safeParse({ at: { end: true }, settings: contradictory }).error?.message).toMatch(
      /num_ctx is 4096, but window_tokens is 8192/,
    );
  });

  it('model, seed and option: the next request has them, and what was set aside is gone', async () => {
    await using parent = await play({ task: 'Read', model_options: { seed: 1, top_k: 5 } }, [
      calls(read),
      says('Old.'),
    ]);
    const settings = { model_options: { seed: 2, temperature: 0.5, top_k: null }, max_iterations: 7 };
    await using fork = await goOn(parent, { at: { before_iteration: 2 }, settings }, [played, says('New.')]);
    expect(fork.fake.chats[0]).toMatchObject({ options: { seed: 2, temperature: 0.5 } });
    expect(fork.fake.chats[0]?.options).not.toHaveProperty('top_k');
    const changed = fork.of('run.forked')[0]?.settings.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(changed).toEqual([
      { name: 'max_iterations', before: 10, after: 7 },
      { name: 'seed', before: 1, after: 2 },
      { name: 'temperature', after: 0.5 },
      { name: 'top_k', before: 5 },
    ]);
    // Server and model are checked again, because they may have changed.
    expect(fork.of('preflight.checked')).toHaveLength(2);
  });

  it('hint: it reaches the model before the next iteration', async () => {
    await using parent = await play({ task: 'Read' }, [calls(read), says('Old.')]);
    await using fork = await goOn(parent, { at: { before_iteration: 2 }, message: 'Look closer.' }, [
      played,
      says('New.'),
    ]);
    expect(fork.sent(0).at(-1)).toEqual({ role: 'user', content: 'Look closer.' });
  });
});

it('continues after the answer of a task with a message', async () => {
  await using parent = await play({ task: 'Say', nudge_plans: false }, [says('The answer.')]);
  const [reply] = parent.of('reply.parsed');
  await using fork = await goOn(parent, { at: { seq: reply?.seq ?? 0 }, message: 'And now?' }, [
    says('This.'),
  ]);
  expect(fork.sent(0).slice(2)).toEqual([
    { role: 'assistant', content: 'The answer.' },
    { role: 'user', content: 'And now?' },
  ]);
  expect(fork.end.result).toMatchObject({ output: 'This.', iterations_used: 2 });
});

it('continues a task that reached its limit with more iterations', async () => {
  await using parent = await play({ task: 'Read', max_iterations: 2 }, [
    calls(read),
    calls({ name: 'list_directory', arguments: { path: '.' } }),
  ]);
  expect(parent.end.result.termination_reason).toBe('max_iterations');
  const seq = parent.end.seq - 1;
  await using fork = await goOn(parent, { at: { seq }, settings: { max_iterations: 4 } }, [
    played,
    played,
    says('Done.'),
  ]);
  expect(fork.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 3 });
});

describe('continue with a hint, at the end of the conversation', () => {
  const hint = { at: { end: true as const }, message: 'Say done.' };
  const asked = { role: 'user', content: 'Say done.' };
  const roles = (fork: PlayedRun) => fork.sent(0).map(({ role }) => role);
  const list = { name: 'list_directory', arguments: { path: '.' } };

  it('after an answer, which stands', async () => {
    await using parent = await play({ task: 'Say', nudge_plans: false }, [says('The answer.')]);
    await using fork = await goOn(parent, hint, [played, says('Done.')]);
    expect(fork.sent(0).slice(2)).toEqual([{ role: 'assistant', content: 'The answer.' }, asked]);
    expect(fork.end.result).toMatchObject({ output: 'Done.', iterations_used: 2 });
    expect(fork.of('run.forked')[0]).toMatchObject({ answered: true, continues: true });
  });

  it('with tools again, if the run had asked for its answer as data', async () => {
    const answer_schema = { type: 'object', required: ['n'] };
    await using parent = await play({ task: 'Say', nudge_plans: false, answer_schema }, [
      says('One.'),
      says('{"n": 1}'),
    ]);
    expect(parent.fake.chats[1]).toMatchObject({ format: answer_schema });
    await using fork = await goOn(parent, hint, [played, played, calls(list), says('{"n": 2}')]);
    expect(fork.fake.chats[0]).toHaveProperty('tools');
    expect(fork.fake.chats[0]).not.toHaveProperty('format');
    expect(fork.of('tool-call.ended')).toHaveLength(1);
    expect(fork.end.result.output).toBe('{"n": 2}');
  });

  it('after a single answer without tools', async () => {
    await using parent = await play({ task: 'Say', agentic: false }, [says('The answer.')]);
    await using fork = await goOn(parent, hint, [played, says('Done.')]);
    expect(fork.sent(0).slice(-2)).toEqual([{ role: 'assistant', content: 'The answer.' }, asked]);
    expect(fork.end.result.output).toBe('Done.');
  });

  it('after a repetition: the call that was refused is not run, and counting begins anew', async () => {
    await using parent = await play({ task: 'Read' }, [calls(read), calls(read), calls(read)]);
    expect(parent.end.result.termination_reason).toBe('repetition');
    await using fork = await goOn(parent, hint, [played, played, calls(read), calls(read), says('Done.')]);
    expect(roles(fork)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user']);
    expect(fork.of('tool-call.started')).toHaveLength(4);
    expect(fork.end.result.output).toBe('Done.');
  });

  it('after a stall: the guard waits as long again', async () => {
    const steps = [1, 2, 3, 4, 5].map((n) => calls({ name: 'read_file', arguments: { path: `none-${n}` } }));
    await using parent = await play({ task: 'Look' }, steps);
    expect(parent.end.result.termination_reason).toBe('stall');
    await using fork = await goOn(parent, hint, [...steps.map(() => played), calls(list), says('Done.')]);
    expect(fork.end.result.output).toBe('Done.');
  });

  it('after nudges that did not help', async () => {
    await using parent = await play({ task: 'Do' }, [{ reply: {} }]);
    expect(parent.end.result.termination_reason).toBe('nudge_exhausted');
    await using fork = await goOn(parent, hint, [says('Done.')]);
    expect(fork.sent(0).at(-1)).toEqual(asked);
    expect(fork.end.result.output).toBe('Done.');
  });

  it('after a failed call: the words are there when the model is asked again', async () => {
    await using parent = await play({ task: 'Do' }, [
      calls(list),
      { fault: { kind: 'http', status: 400, body: { error: 'no' } } },
    ]);
    await using fork = await goOn(parent, hint, [played, says('Done.')]);
    expect(fork.sent(0).at(-1)).toEqual(asked);
    expect(fork.end.result.output).toBe('Done.');
  });

  it('tries a failed call again: the same messages are sent, and what had failed is not copied', async () => {
    await using parent = await play({ task: 'Do' }, [calls(list), { fault: { kind: 'busy' } }]);
    expect(parent.end.result.termination_reason).toBe('error');
    expect(parent.of('model-call.failed')).toHaveLength(3);
    const seq = (parent.of('model-call.started')[1]?.seq ?? 0) - 1;
    await using fork = await goOn(parent, { at: { seq }, workspace: 'same' }, [played, says('Done.')]);
    expect(fork.sent(0)).toEqual(parent.sent(1));
    expect(fork.of('model-call.failed')).toEqual([]);
    expect(fork.end.result).toMatchObject({ output: 'Done.', iterations_used: 2 });
  });

  it('after a stop: calls that had not begun are not run, and the model reads so', async () => {
    await using parent = await play(
      { task: 'Read' },
      [calls(list, { name: 'read_file', arguments: { path: 'b.txt' } })],
      {
        during: async ({ log }) => {
          await until(log, (events) => events.some(({ type }) => type === 'tool-call.ended'));
          log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
        },
      },
    );
    expect(parent.end.result.termination_reason).toBe('stopped');
    const begun = parent.of('tool-call.started').length;
    await using fork = await goOn(parent, hint, [played, says('Done.')]);
    expect(fork.of('tool-call.started')).toHaveLength(begun);
    expect(roles(fork)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
    expect(fork.end.result.output).toBe('Done.');
  });

  it('after a stop while a call waits for approval: what was done before it stands', async () => {
    const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'x' } });
    const approval = { default: 'auto' as const, tools: { write_file: 'ask' as const } };
    await using parent = await play({ task: 'Write', approval }, [calls(write('a'), write('b'))], {
      during: async ({ log }) => {
        await until(log, (events) => events.filter(({ type }) => type === 'approval.requested').length === 2);
        const decided = { call_id: 'c1', tool: 'write_file', decision: 'approved', by: 'operator' } as const;
        log.append([{ type: 'approval.decided', ...decided }]);
        await until(log, (events) => events.some(({ type }) => type === 'tool-call.ended'));
        log.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
      },
    });
    expect(parent.end.result.termination_reason).toBe('stopped');
    await using fork = await goOn(parent, hint, [played, says('Done.')]);
    expect(fork.of('tool-call.started').map(({ call_id }) => call_id)).toEqual(['c1']);
    expect(roles(fork)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
    expect(fork.sent(0)[4]?.content).toContain('was not run');
  });

  it('is queued like any new run, also with calls that are not run', async () => {
    await using parent = await play({ task: 'Read' }, [calls(list, list), says('Done.')]);
    const { events } = parent.log;
    const cut = events.findIndex(({ type }) => type === 'tool-call.ended') + 1;
    const fork = await forkOf(events.slice(0, cut), hint);
    expect(fork.slice(cut).map(({ type }) => type)).toEqual([
      ...['run.forked', 'tool-call.ended', 'operator.messaged'],
    ]);
    expect(state(fork).phase).toBe('queued');
    // Its source run has not ended.
    const error = 'This call was not run: the operator continued from here with a new message.';
    expect(fork[cut + 1]).toMatchObject({ result: { success: false, output: { error } } });
  });

  it('after work that failed its checks, which are made again', async () => {
    const checks = [{ type: 'file_exists' as const, path: 'done.txt' }];
    await using parent = await play({ task: 'Do', checks }, [says('Finished.')]);
    expect(parent.end.verification).toBe('fail');
    await using fork = await goOn(parent, hint, [
      played,
      calls({ name: 'write_file', arguments: { path: 'done.txt', content: 'x' } }),
      says('Now it is.'),
    ]);
    expect(fork.end.verification).toBe('pass');
  });

  it('in a session, as its next message', async () => {
    await using parent = await play({ mode: 'session', autopilot: true, task: 'Hello' }, [says('Hi.')], {
      during: async ({ log }) => {
        await until(log, (events) => events.some(({ type }) => type === 'turn.ended'));
        log.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
      },
    });
    const fork = state(await forkOf(parent.log.events, hint));
    expect(fork).toMatchObject({ phase: 'queued', stop: undefined, reply: undefined });
    expect(fork.operatorMessages.at(-1)).toMatchObject({ status: 'queued', text: 'Say done.' });
  });

  it('in an exploration, where more cycles follow', async () => {
    await using parent = await play({ mode: 'explore', max_cycles: 1 }, [says('One.')]);
    const more = { ...hint, settings: { max_cycles: 2 } };
    await using fork = await goOn(parent, more, [played, says('Two.')]);
    expect(fork.of('cycle.reflected').map(({ text }) => text)).toEqual(['One.', 'Two.']);
  });

  it('in an exploration that was stopped before the calls of a reply, which are not made', async () => {
    const write = { name: 'write', arguments: { key: 'a', value: 'b' } };
    await using parent = await play({ mode: 'explore', max_cycles: 1 }, [calls(write, write), says('One.')]);
    const [parsed] = parent.of('reply.parsed');
    const stopped = parent.log.events.slice(0, parsed?.seq);
    const events = await forkOf(stopped, hint, true);
    await using fork = await play({ mode: 'explore' }, [played, says('One.')], { events });
    expect(fork.of('tool-call.started')).toEqual([]);
    expect(fork.log.state.memory.size).toBe(0);
    expect(fork.sent(0).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
    for (const { content } of fork.sent(0).slice(-2)) expect(content).toContain('was not run');
    expect(fork.log.state).toMatchObject({ iterationsUsed: 2, cycle: { number: 1, open: false } });
  });

  it('without a message nothing is counted anew, and an answer is the end again', async () => {
    await using parent = await play({ task: 'Say', nudge_plans: false }, [says('The answer.')]);
    await using fork = await goOn(parent, { at: { end: true } }, [played]);
    expect(fork.end.result.output).toBe('The answer.');
    expect(fork.of('run.forked')[0]).not.toHaveProperty('continues');
  });
});

it('measures a reply that was cut off by the limit of its own call, not by that of the fork [T21]', async () => {
  const cut = says('one two three four five six');
  await using parent = await play({ task: 'Say', agentic: false, num_predict: [3, 4] }, [cut]);
  const after = (index: number) => ({ seq: parent.of('reply.parsed')[index]?.seq ?? 0 });
  const reasonOf = async (request: Request) => {
    await using fork = await goOn(parent, request, [says('Whole.')]);
    return fork.of('policy.retried').at(-1)?.message;
  };
  expect(await reasonOf({ at: after(0), settings: { num_predict: [20, 30] } })).toBe(
    'The reply was cut off at 3 tokens. It is requested again with up to 30.',
  );
  expect(await reasonOf({ at: after(1) })).toBe(
    'The reply was cut off at 4 tokens. It is requested again with up to 4.',
  );
});

it('does not hold a stop or a failed call of the other run against the fork', async () => {
  await using parent = await play({ task: 'Say' }, [
    { fault: { kind: 'http', status: 400, body: { error: 'no' } } },
  ]);
  const [failed] = parent.of('model-call.failed');
  await using fork = await goOn(parent, { at: { seq: failed?.seq ?? 0 } }, [says('Now it works.')]);
  expect(fork.end.result.output).toBe('Now it works.');
});

describe('explore', () => {
  const write = (key: string, value: string) => ({ name: 'write', arguments: { key, value } });

  it('has the memory as it was at that cycle, or as a person made it', async () => {
    await using parent = await play({ mode: 'explore', max_cycles: 2 }, [
      calls(write('a', 'first'), write('b', 'kept')),
      says('One.'),
      calls(write('a', 'second')),
      says('Two.'),
    ]);
    const read = (key: string) => ({ name: 'read', arguments: { key } });
    const edits = [
      { target: 'memory' as const, key: 'b', value: 'edited' },
      { target: 'memory' as const, key: 'c', value: 'new' },
    ];
    await using fork = await goOn(parent, { at: { before_cycle: 2 }, edits }, [
      played,
      played,
      calls(read('a'), read('b'), read('c')),
      says('Read.'),
    ]);
    const results = fork.log.state.messages.flatMap(({ role, content }) =>
      role === 'tool' ? [content] : [],
    );
    expect(results.slice(-3).join('|')).toMatch(/first.*edited.*new/s);
    expect(fork.of('cycle.started').map(({ cycle }) => cycle)).toEqual([1, 2]);
    expect(fork.log.state.memory.get('b')?.value).toBe('edited');
  });

  it('can have a memory without text, as an agent can store one', async () => {
    await using parent = await play({ mode: 'explore', max_cycles: 2 }, [
      calls(write('a', 'first'), write('b', '')),
      says('One.'),
      says('Two.'),
    ]);
    const at = { before_cycle: 2 };
    const edits = [{ target: 'memory' as const, key: 'a', value: '' }];
    const memory = state(await forkOf(parent.log.events, { at, edits })).memory;
    expect([...memory].map(([key, { value }]) => [key, value])).toEqual([
      ['a', ''],
      ['b', ''],
    ]);
  });

  it('is refused if an edit deletes a memory that is not there, or two change the same one', async () => {
    await using parent = await play({ mode: 'explore', max_cycles: 2 }, [
      calls(write('a', 'first')),
      says('One.'),
      says('Two.'),
    ]);
    const forked = (edits: ForkRequest['edits']) =>
      expect(forkOf(parent.log.events, { at: { before_cycle: 2 }, edits })).rejects;
    const memory = (key: string, value: string | null) => ({ target: 'memory' as const, key, value });
    await forked([memory('b', null)]).toThrow('edits: there is no memory "b" there.');
    await forked([memory('a', 'second'), memory('a', 'third')]).toThrow('edits: memory "a" is edited twice.');
    await forked([memory('b', 'new'), memory('b', null)]).toThrow('edits: there is no memory "b" there.');
    const message = (content: string) => ({ target: 'message' as const, index: 1, content });
    await forked([message('x'), message('y')]).toThrow('edits: message 1 is edited twice.');
  });

  it('waits for a person as its run did, unless it brings the reply', async () => {
    const tell = { name: 'send_message_to_operator', arguments: { message: 'Is anybody there?' } };
    await using parent = await play({ mode: 'explore', max_cycles: 1, operator_policy: 'wait' }, [
      calls(tell),
      says('I see.'),
    ]);
    expect(parent.outcome).toEqual({ outcome: 'waiting' });
    const [awaited] = parent.of('message.awaited');
    const at = { seq: awaited?.seq ?? 0 };
    await using fork = await goOn(parent, { at }, [played, says('I see.')]);
    expect(fork.outcome).toEqual({ outcome: 'waiting' });
    expect(fork.of('agent.messaged')).toEqual([]);
    await using answered = await goOn(parent, { at, message: 'I am.' }, [played, says('I see.')]);
    expect(answered.outcome).toEqual({ outcome: 'ended' });
    expect(answered.of('operator.delivered')).toMatchObject([{ as: 'tool-result' }]);
  });

  it('an edited call is edited in the history, where it stands already (X9)', async () => {
    await using parent = await play({ mode: 'explore', max_cycles: 1 }, [
      calls(write('a', 'first')),
      says('One.'),
    ]);
    const call_id = parent.of('tool-call.started')[0]?.call_id ?? '';
    const edits = [{ target: 'call' as const, call_id, arguments: { key: 'a', value: 'edited' } }];
    await using fork = await goOn(parent, { at: { before_call: call_id }, edits }, [played, says('One.')]);
    expect(fork.log.state.memory.get('a')?.value).toBe('edited');
    const [asked] = fork.sent(0).flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(asked?.function.arguments).toEqual({ key: 'a', value: 'edited' });
  });

  it('an edited reply is edited in the history, where it stands already (X9)', async () => {
    const events = exploreLog(2).events;
    const parsed = events.findLast((event) => event.type === 'reply.parsed');
    const fork = state(
      await forkOf(events, {
        at: { seq: parsed?.seq ?? 0 },
        edits: [{ target: 'reply', content: 'Edited.' }],
      }),
    );
    expect(fork.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Edited.' });
    expect(fork.reply?.text).toBe('Edited.');
  });
});

it.each(['session', 'explore'] as const)(
  'hands nothing over where its settings turn that off, also during a handover: %s',
  async (mode) => {
    const limits = { context_limit: 1000, handover_at: 0.8 };
    const write = { name: 'write', arguments: { key: 'a', value: 'b' } };
    const full = mode === 'session' ? { content: 'z'.repeat(600) } : { tool_calls: [write] };
    await using parent = await play(
      mode === 'session'
        ? { mode, autopilot: true, autopilot_turns: 3, ...limits }
        : { mode, max_cycles: 1, ...limits },
      [{ reply: { ...full, prompt_eval_count: 850 } }, says('The summary.')],
      {
        fake: {
          models: [{ name: 'play', context_length: 2_000_000 }],
          scenarios: [{ name: 'play', match: 'handed over', steps: [says('On I go.')] }],
        },
      },
    );
    const [started] = parent.of('handover.started');
    const [ended] = parent.of('handover.ended');
    if (!started || !ended) throw new Error('Nothing was handed over');
    const before = state(parent.log.events.slice(0, started.seq - 1));
    let forks = 0;
    for (let seq = started.seq; seq < ended.seq; seq += 1) {
      const last = parent.log.events[seq - 1];
      if (!last || forkProblem(state(parent.log.events.slice(0, seq)), last) !== undefined) continue;
      const settings = { handover_at: null, context_limit: 30_000 };
      await using fork = await goOn(parent, { at: { seq }, settings }, [played, says('As before.')]);
      expect(fork.of('handover.ended'), `after event ${seq}`).toEqual([]);
      expect(fork.sent(0).slice(0, before.messages.length)).toEqual(before.messages);
      expect(fork.sent(0).slice(before.messages.length)).toEqual(
        mode === 'session' ? [{ role: 'user', content: 'Continue.' }] : [],
      );
      expect(fork.fake.chats[0]?.tools).not.toHaveLength(0);
      forks += 1;
    }
    expect(forks).toBeGreaterThan(2);
  },
);

it('a session continues from a turn, with the messages of its operator', async () => {
  const fork = state(await forkOf(sessionLog().events, { at: { before_iteration: 3 } }));
  expect(fork).toMatchObject({ phase: 'queued', epoch: 0, startedAt: undefined, worker: undefined });
  expect(fork.operatorMessages).toMatchObject([{ status: 'delivered' }]);
});

it('distinguishes the clock of the fork from that of the copied events', async () => {
  const parent = completedLog().events;
  const fork = await forkOf(parent, { at: { before_iteration: 3 } });
  expect(fork.slice(1, -1).map(({ at }) => at)).toEqual(parent.slice(1, fork.length - 1).map(({ at }) => at));
  expect(state(fork)).toMatchObject({ createdAt: 5e12, parent: { run_id: 'sample', seq: fork.length - 1 } });
});

describe('a place where something is under way is refused', () => {
  const refused = (events: readonly RunEvent[], type: RunEvent['type']) => {
    const seq = events.findLast((event) => event.type === type)?.seq ?? 0;
    return findForkPoint('sample', [events], { seq });
  };

  it.each([
    ['tool-call.started', runningLog().events],
    ['model-call.started', completedLog().events],
    ['model-call.ended', completedLog().events],
    ['model.load-started', completedLog().events],
    ['run.ended', completedLog().events],
  ] as const)('after %s', async (type, events) => {
    await expect(refused(events, type)).rejects.toThrow(expect.objectContaining({ code: 'fork_point_open' }));
  });

  it('and one that is not there is not found', async () => {
    const { events } = completedLog();
    for (const place of [{ seq: 1000 }, { before_iteration: 9 }, { before_cycle: 1 }]) {
      await expect(findForkPoint('sample', [events], place)).rejects.toThrow(
        expect.objectContaining({ code: 'event_not_found' }),
      );
    }
  });
});

it('every other place of every sample log can be forked, and its draft names what can be edited', async () => {
  for (const { events } of [completedLog(), sessionLog(), exploreLog(3)]) {
    let forked = 0;
    for (const { seq } of events) {
      try {
        const draft = draftFork(await findForkPoint('sample', [events], { seq }));
        expect(draft.messages.every(({ index }, position) => index === position)).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ code: 'fork_point_open' });
        continue;
      }
      forked += 1;
      expect(state(await forkOf(events, { at: { seq } })).phase).toBe('queued');
    }
    expect(forked).toBeGreaterThan(events.length / 3);
  }
});

it.each([
  [{ edits: [{ target: 'message', index: 99, content: 'x' }] }, 'message 99 does not exist'],
  [{ edits: [{ target: 'reply', content: 'x' }] }, 'there is no unanswered reply'],
  [{ edits: [{ target: 'memory', key: 'k', value: 'v' }] }, 'only explorations'],
  [{ settings: { max_cycles: 3 } }, 'mode "explore"'],
  [{ settings: { turn_delay: 3 } }, 'mode "session"'],
  [{ settings: { fetch_hosts: ['docs.example.com'] } }, 'fetch_hosts: These hosts have no effect'],
] as const)('refuses %o', async (changes, words) => {
  const { events } = completedLog();
  await expect(forkOf(events, { at: { before_iteration: 2 }, ...changes })).rejects.toThrow(words);
});

describe('defaults of a fork', () => {
  it('follow a changed window, and stay where a person set them or nothing changed', async () => {
    const changed = async (config: Partial<RunConfig>, settings: object) => {
      const { events } = completedLog({ config });
      const [created] = await forkOf(events, { at: { seq: 5 }, settings });
      return created?.type === 'run.created' ? created.config : undefined;
    };
    const small = { window_tokens: 8192, result_chars: 2048 };
    const wide = { window_tokens: 32_768 };
    expect(await changed(small, wide)).toMatchObject({
      result_chars: 8000,
      asked: expect.arrayContaining(['window_tokens']),
    });
    expect(await changed({ ...small, asked: ['result_chars'] }, wide)).toMatchObject({ result_chars: 2048 });
    expect(await changed({ ...small, result_chars: 3000 }, wide)).toMatchObject({ result_chars: 3000 });
    expect(await changed({ ...small, asked: [], compact_at: 0.7 }, { think: false })).toMatchObject({
      ...small,
      compact_at: 0.7,
    });
  });

  it('follow in explorations: the limit of the conversation, and iterations from cycles', async () => {
    await using parent = await play(
      { mode: 'explore', window_tokens: 8192, max_cycles: 1 },
      [says('A.')],
      {},
    );
    const [created] = await forkOf(parent.log.events, {
      at: { end: true },
      settings: { window_tokens: 16_384, max_cycles: 3 },
    });
    expect(created).toMatchObject({
      config: { max_iterations: 150, explore: { context_limit: 16_384, max_cycles: 3 } },
    });
  });
});

describe('fork with other tools', () => {
  const offered = (fork: PlayedRun) => fork.log.state.tools.map((tool) => tool.function.name);
  const write = { name: 'write_file', arguments: { path: 'b.txt', content: 'x' } };

  it('offers fewer from there on, in the system prompt too, and refuses the others', async () => {
    await using parent = await play({ task: 'Go' }, [calls(read), says('Old.')], {
      files: { 'a.txt': 'one' },
    });
    const request = { at: { before_iteration: 2 }, settings: { tools: ['read_file'] } };
    await using fork = await goOn(parent, request, [played, calls(write), says('New.')]);
    expect(offered(fork)).toEqual(['read_file']);
    expect(fork.log.state.config?.tools).toEqual(['read_file']);
    const [system] = fork.sent(0);
    expect(system?.content).toContain('- Available tools: read_file. Do not use any other name.');
    expect(system?.content).not.toContain('write_file');
    expect(fork.fake.chats[0]?.tools).toHaveLength(1);
    expect(fork.of('tool-call.ended').at(-1)?.result).toMatchObject({
      success: false,
      output: { error: expect.stringContaining('There is no tool "write_file"') },
    });
    expect(fork.of('run.forked')[0]).toMatchObject({
      settings: [{ name: 'tools', after: ['read_file'] }],
      edits: [{ target: 'message', index: 0, role: 'system' }],
    });
  });

  it('adapts the prompt of a task that asks for its answer as data, also to another schema', async () => {
    const answer_schema = { type: 'object', required: ['old'] };
    await using parent = await play({ task: 'Go', answer_schema }, [calls(read), says('{"old": 1}')]);
    const fork = (settings: Record<string, unknown>) =>
      forkOf(parent.log.events, { at: { before_iteration: 2 }, settings });
    const fewer = state(await fork({ tools: ['read_file'] })).messages[0]?.content;
    expect(fewer).toContain('- Available tools: read_file. Do not use any other name.');
    expect(fewer).toContain(JSON.stringify(answer_schema));
    const other = { type: 'object', required: ['new'] };
    const asked = state(await fork({ answer_schema: other })).messages[0]?.content;
    expect(asked).toContain(JSON.stringify(other));
    expect(asked).not.toContain(JSON.stringify(answer_schema));
  });

  it('offers more, as they are described on this machine', async () => {
    await using parent = await play({ task: 'Go', tools: ['read_file'] }, [calls(read), says('Old.')]);
    const point = await findForkPoint('run', [parent.log.events], { before_iteration: 2 });
    const task = builtInTools({ sandbox: openUnconfined(), unconfined: undefined }).task;
    const request = forkRequest.parse({
      at: { before_iteration: 2 },
      settings: { tools: ['write_file', 'read_file'] },
    });
    const facts = { workspace: parent.workspace, files: { kind: 'same' as const }, tools: task };
    const [forked] = planFork(point, request, facts).events;
    expect(forked).toMatchObject({
      tools: [{ function: { name: 'read_file' } }, { function: { name: 'write_file' } }],
    });
    const { tools: _, ...without } = facts;
    expect(() =>
      planFork(point, forkRequest.parse({ ...request, settings: { tools: ['run_command'] } }), without),
    ).toThrow('run_command cannot be used on this machine');
  });

  it('does not change an edited system prompt, or one that is not about tools', async () => {
    await using parent = await play({ task: 'Go' }, [calls(read), says('Old.')]);
    const request = {
      at: { before_iteration: 2 },
      edits: [{ target: 'message' as const, index: 0, content: 'Mine.' }],
      settings: { tools: ['read_file'] },
    };
    await using fork = await goOn(parent, request, [played, says('New.')]);
    expect(fork.sent(0)[0]?.content).toBe('Mine.');
    await using explored = await play({ mode: 'explore', max_cycles: 1 }, [says('A thought.')]);
    const chosen = { at: { before_iteration: 1 }, settings: { tools: ['read', 'list'] } };
    const [forked] = (await forkOf(explored.log.events, chosen)).slice(-1);
    expect(forked).toMatchObject({ edits: [], tools: [{}, {}] });
  });

  it('adapts the list of tools at the end of a session’s prompt', async () => {
    await using parent = await play({ mode: 'session', task: 'Hi' }, [says('Hello.')], {
      files: { 'SYSTEM_PROMPT.md': 'Mine.' },
    });
    const request = { at: { end: true as const }, settings: { tools: ['read_file'] } };
    const { messages, tools } = state(await forkOf(parent.log.events, request));
    const [only, ...others] = tools;
    expect(others).toEqual([]);
    expect(messages[0]?.content).toBe(
      `Mine.\n\nYou are the model play.\n\nYour tools:\n- read_file: ${only?.function.description}`,
    );
  });

  it('refuses tools that the mode does not have', async () => {
    await expect(
      forkOf(completedLog().events, { at: { end: true }, settings: { tools: ['pattern_search'] } }),
    ).rejects.toThrow('settings: tools: The mode "task" has no tool "pattern_search".');
  });
});

it('refuses settings without effect for a fork of a single answer', async () => {
  await using parent = await play({ task: 'Say', agentic: false }, [says('The answer.')]);
  for (const settings of [{ stall_guard: true }, { tools: ['read_file'] }, { max_iterations: 3 }]) {
    const [name] = Object.keys(settings);
    await expect(goOn(parent, { at: { end: true }, settings }, [])).rejects.toThrow(
      `settings: ${name}: This has no effect on a single answer`,
    );
  }
});

it.each([
  [{ operator_policy: 'fixed' }, 'operator_replies: The policy "fixed" needs at least one reply.'],
  [{ operator_policy: 'model' }, 'operator_model: The policy "model" needs the model that replies.'],
  [{ operator_replies: ['Yes.'] }, 'operator_replies: Replies are only sent if operator_policy is'],
  [
    { operator_policy: 'fixed', operator_replies: ['Yes.', 'No.'] },
    'operator_replies: The policy "fixed" only sends the first reply.',
  ],
  [{ diversity_feedback: false }, 'diversity_feedback: Feedback is given only if diversity is measured.'],
] as const)('refuses %j for a fork of an exploration, where it has no effect', async (settings, message) => {
  const explore = { context_limit: 32_768, max_cycles: 3, calls_per_cycle: 50, cycle_line: true };
  const { events } = exploreLog(3, { config: { explore } });
  await expect(forkOf(events, { at: { end: true }, settings })).rejects.toThrow(`settings: ${message}`);
});

it('judges attempts and the stall threshold of a fork by the settings of its run', async () => {
  const answer = [says('The answer.')];
  const fork = async ({ log }: PlayedRun, settings: ForkRequest['settings']) =>
    state(await forkOf(log.events, { at: { end: true }, settings })).config;
  await using plain = await play({ task: 'Say', stall_guard: false }, answer);
  await expect(fork(plain, { max_attempts: 2 })).rejects.toThrow('settings: max_attempts: Another attempt');
  expect(await fork(plain, { max_attempts: 1 })).toMatchObject({ max_attempts: 1 });
  await expect(fork(plain, { stall_threshold: 3 })).rejects.toThrow('settings: stall_threshold: The stall');
  const guarded = { stall_guard: true, stall_threshold: 3 };
  expect(await fork(plain, guarded)).toMatchObject(guarded);
  const checks = [{ type: 'answer_contains' as const, text: 'answer' }];
  await using checked = await play({ task: 'Say', checks }, answer);
  const again = { max_attempts: 2, stall_guard: false };
  expect(await fork(checked, again)).toMatchObject(again);
});
