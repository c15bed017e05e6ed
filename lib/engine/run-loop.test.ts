import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { FaultInput, ScenarioStepInput } from '../demo/scenario.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { progressEvent } from '../events/progress.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { summarize } from '../events/summarize.ts';
import type { TerminationReason } from '../events/termination.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { modeOf } from '../modes/mode-of.ts';
import { NUDGE_TEXT } from '../policies/nudge.ts';
import { schemaRule } from '../policies/schema-rule.ts';
import { eventsOf } from '../testing/events-of.ts';
import {
  calls,
  driveLoop,
  type PlayedRun,
  type PlayOptions,
  play as playRun,
  says,
  silence,
  stop,
  until,
} from '../testing/loop-harness.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { callingModel, openerOf, scriptedModel, scriptedTools } from '../testing/simulate-run.ts';
import type { ToolBox } from '../tools/tool.ts';
import { nextAction } from './next-action.ts';
import type { OpenTools } from './open-tools.ts';

interface TaskOptions extends PlayOptions {
  config?: Partial<RunConfig>;
}

/** Plays a task of the model `play`. */
function play(steps: ScenarioStepInput[], { config, ...options }: TaskOptions = {}): Promise<PlayedRun> {
  const setting = { model: 'play', live_tokens: false, think: false, task: 'Do the task.' };
  return playRun((workspace) => sampleConfig({ ...setting, workspace, ...config }), steps, {
    fake: { models: [{ name: 'play' }] },
    ...options,
  });
}

const read = (path: string) => ({ name: 'read_file', arguments: { path } });
const write = (path: string, content = 'x') => ({ name: 'write_file', arguments: { path, content } });
const answer = says('The task is completed.');

it('calls, executes, calls again and answers [T1, T2, T3, T12, T14, T15, T16, K-10]', async () => {
  await using run = await play([calls(read('a.md')), calls(write('b.md', 'B'), read('b.md')), answer], {
    files: { 'a.md': 'Alpha' },
    config: { system: 'Be brief.' },
  });
  expect(run.outcome).toEqual({ outcome: 'ended' });
  expect(run.end.result).toEqual({
    status: 'completed',
    output: 'The task is completed.',
    model_used: 'play',
    tokens_in: run.log.state.tokensIn,
    tokens_out: run.log.state.tokensOut,
    error: null,
    termination_reason: 'final_answer',
    iterations_used: 3,
  });
  expect(run.fake.chats).toHaveLength(3);
  const [first] = run.fake.chats;
  expect(first).toMatchObject({ model: 'play', stream: false, truncate: false, shift: false, think: false });
  expect(first?.options).toMatchObject({ num_ctx: 32_768, num_predict: 2048 });
  expect(first?.tools).toHaveLength(6);
  expect(run.sent(0).map((message) => message.role)).toEqual(['system', 'user']);
  expect(run.sent(0)[0]?.content).toMatch(/^Be brief\./);
  expect(run.sent(0)[1]?.content).toBe('Do the task.');
  expect(run.sent(2).slice(0, run.sent(1).length)).toEqual(run.sent(1));
  expect(run.sent(2).map((message) => message.role)).toEqual([
    ...['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'tool'],
  ]);
  expect(run.sent(2)[4]).toMatchObject({
    content: '',
    tool_calls: [{ function: write('b.md', 'B') }, { function: read('b.md') }],
  });
  expect(run.sent(2)[5]?.tool_name).toBe('write_file');
  expect(JSON.parse(run.sent(2)[6]?.content ?? '')).toMatchObject({ success: true, tool: 'read_file' });
  expect(await readFile(join(run.workspace, 'b.md'), 'utf8')).toBe('B');
  expect(run.end.files_written).toEqual(['b.md']);
  for (const event of run.log.events) expect(runEvent.safeParse(event).error).toBeUndefined();
  expect(run.log.events.map((event) => event.seq)).toEqual(run.log.events.map((_, index) => index + 1));
});

it('executes every call of a reply although an earlier one fails [T13, O3]', async () => {
  await using run = await play([calls(read('a.md'), read('missing.md'), read('a.md')), answer], {
    files: { 'a.md': 'A' },
  });
  expect(run.of('tool-call.ended').map((event) => event.result.success)).toEqual([true, false, true]);
  expect(run.log.state.failedToolCalls).toBe(1);
});

it('runs independent calls of a reply at the same time, and logs them in order [T13]', async () => {
  const begun = new Map(
    ['1.md', '2.md', '3.md', '4.md', '5.md'].map((path) => [path, Promise.withResolvers<void>()]),
  );
  const order: string[] = [];
  const together: ToolBox['execute'] = async ({ name, arguments: args }) => {
    const path = String(args.path);
    order.push(`${name} ${path}`);
    begun.get(path)?.resolve();
    // Each of the first four ends only once all four have begun; the write comes after all reads.
    if (path < '5') await begun.get('4.md')?.promise;
    order.push(`end ${path}`);
    return { success: true, tool: name, output: path };
  };
  await using run = await play(
    [calls(read('1.md'), read('2.md'), read('3.md'), read('4.md'), write('w.md'), read('5.md')), answer],
    { loop: ({ openTools }) => ({ openTools: executing(openTools, together) }) },
  );
  expect(order.slice(0, 4)).toEqual(['1', '2', '3', '4'].map((n) => `read_file ${n}.md`));
  expect(order.slice(-4)).toEqual(['write_file w.md', 'end w.md', 'read_file 5.md', 'end 5.md']);
  const logged = run.log.events.filter(({ type }) => /^tool-call\.(started|ended)$/.test(type));
  expect(logged.map(({ type }) => type)).toEqual(
    Array.from({ length: 12 }, (_, index) => (index % 2 ? 'tool-call.ended' : 'tool-call.started')),
  );
  expect(run.of('tool-call.ended').map(({ result }) => result.output)).toEqual([
    ...['1.md', '2.md', '3.md', '4.md', 'w.md', '5.md'],
  ]);
  expect(run.outcome).toEqual({ outcome: 'ended' });
});

describe('an answer by JSON schema', () => {
  const answer_schema = {
    type: 'object',
    properties: { count: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
    required: ['count'],
  };
  const asked = (steps: ScenarioStepInput[], config: Partial<RunConfig> = {}) =>
    play(steps, { files: { 'a.md': 'A' }, config: { answer_schema, ...config } });

  it('is kept unchanged if it fits', async () => {
    await using run = await asked([calls(read('a.md')), says('{"count": 1}')]);
    expect(run.fake.chats.map(({ format }) => format)).toEqual([undefined, undefined]);
    expect(run.sent(0)[0]?.content).toContain(JSON.stringify(answer_schema));
    expect(run.of('answer.checked')).toMatchObject([{ fits: true, call: 2, iteration: 2 }]);
    expect(run.end).toMatchObject({ outcome: { kind: 'answered' }, result: { output: '{"count": 1}' } });
  });

  it('is asked for again with the reason and with Ollama’s format, in the same iteration', async () => {
    await using run = await asked([calls(read('a.md')), says('There is one file.'), says('{"count": 1}')]);
    expect(run.of('answer.checked').map(({ fits }) => fits)).toEqual([false, true]);
    expect(run.of('policy.nudged')).toMatchObject([{ cause: 'schema', count: 1, limit: 2, iteration: 2 }]);
    expect(run.of('iteration.started')).toHaveLength(2);
    const [, , third] = run.fake.chats;
    expect(third).toMatchObject({ format: answer_schema });
    expect(third).not.toHaveProperty('tools');
    const [before, last] = run.sent(2).slice(-2);
    expect(before).toEqual({ role: 'assistant', content: 'There is one file.' });
    expect(last?.content).toMatch(/^The answer is not JSON: .*\n\nGive your answer again as a JSON value/);
    expect(run.end.result).toMatchObject({ output: '{"count": 1}', status: 'completed', iterations_used: 2 });
  });

  it('that never fits ends the run with that outcome and the last text of the model', async () => {
    await using run = await asked([
      calls(read('a.md')),
      says('One.'),
      says('{"count": "one"}'),
      says('{"count": "1"}'),
    ]);
    expect(run.of('answer.checked').map(({ problem }) => problem)).toEqual([
      expect.stringContaining('not JSON'),
      expect.stringContaining('count'),
      expect.stringContaining('count'),
    ]);
    expect(run.end).toMatchObject({
      outcome: { kind: 'answered_off_schema' },
      result: { status: 'partial', termination_reason: 'final_answer', output: '{"count": "1"}' },
      message: 'The answer does not fit the schema that was asked for, 3 times in a row.',
    });
    expect(run.fake.chats).toHaveLength(4);
  });

  it('is asked for as data again after an empty reply to Ollama’s format, which offers no tools', async () => {
    await using run = await asked([calls(read('a.md')), says('One.'), { attempts: [silence] }]);
    const [, nudge] = run.of('policy.nudged');
    expect(nudge).toMatchObject({ cause: 'empty', count: 1 });
    expect(nudge?.text).toBe(`Give your answer as ${schemaRule(answer_schema)}`);
    expect(run.fake.chats[3]).not.toHaveProperty('tools');
    expect(run.end).toMatchObject({
      outcome: { kind: 'nudge_exhausted' },
      message: 'The model gave an empty reply although it was asked 2 times to answer.',
    });
  });

  it('is not called a lost tool call if its tokens never arrive, because no tools were offered', async () => {
    const lost: ScenarioStepInput = {
      attempts: [{ reply: { content: '', eval_count: 40 } }],
    };
    await using run = await asked([calls(read('a.md')), says('One.'), lost]);
    expect(run.of('reply.parsed')[2]).toMatchObject({ outcome: 'empty', malformed: false });
    expect(run.of('policy.retried')).toEqual([]);
    expect(run.log.state.parsed.malformed).toBe(0);
  });

  it('is not taken for a plan, although no tool was called', async () => {
    await using run = await asked([says('{"count": 0}')]);
    expect(run.of('policy.nudged')).toEqual([]);
    expect(run.end.outcome).toEqual({ kind: 'answered' });
  });

  it('of a prompt without tools is data from the start', async () => {
    await using run = await asked([says('{"count": 2}')], {
      agentic: false,
      parser_layers: [],
      workspace: '',
    });
    expect(run.fake.chats).toMatchObject([{ format: answer_schema }]);
    expect(run.sent(0).at(-1)?.content).toContain('Answer with a JSON value');
    expect(run.end.outcome).toEqual({ kind: 'answered' });
  });

  it('is never read as a call', async () => {
    const call = '{"name": "read_file", "arguments": {"path": "a.md"}}';
    await using run = await asked([says('Done.'), says(call)], {
      answer_schema: { type: 'object', required: ['name'] },
    });
    expect(run.of('tool-call.started')).toEqual([]);
    expect(run.end.result.output).toBe(call);
  });

  it('is checked again by a worker that takes over before the result is stored', async () => {
    await using run = await asked([says('One.'), says('{"count": 1}')]);
    const { events } = run.log;
    const seq = run.of('answer.checked')[0]?.seq ?? 0;
    const state = foldAll(emptyRunState(run.log.state.runId), events.slice(0, seq - 1));
    expect(nextAction(state, modeOf(run.config))).toEqual({ type: 'check-answer' });
  });
});

it('sums tokens over all calls, discarded ones included; a missing count adds nothing [T8]', async () => {
  await using run = await play([
    { reply: { ...calls(read('a')).reply, prompt_eval_count: null, eval_count: 7 } },
    { reply: { content: 'The task is done.', prompt_eval_count: 10, eval_count: 5 } },
  ]);
  expect(run.end.result).toMatchObject({ tokens_in: 10, tokens_out: 12 });
});

const endings: {
  reason: TerminationReason;
  status: string;
  steps: ScenarioStepInput[];
  options?: TaskOptions;
  message: RegExp;
  iterations: number;
}[] = [
  {
    reason: 'final_answer',
    status: 'completed',
    steps: [calls(write('a.md')), answer],
    message: /answered in iteration 2/,
    iterations: 2,
  },
  {
    reason: 'max_iterations',
    status: 'partial',
    steps: [calls(write('a.md', '1')), calls(write('a.md', '2')), calls(write('a.md', '3'))],
    options: { config: { max_iterations: 3 } },
    message: /All 3 iterations/,
    iterations: 3,
  },
  {
    reason: 'repetition',
    status: 'partial',
    steps: [calls(read('a.md')), calls(read('a.md')), calls(read('a.md'))],
    message: /same calls 3 times in a row \(read_file\)/,
    iterations: 3,
  },
  {
    reason: 'stall',
    status: 'partial',
    steps: [1, 2, 3, 4, 5, 6].map((n) => calls(read(`${n}.md`))),
    message: /No new information in 5 iterations: no file was written/,
    iterations: 5,
  },
  {
    reason: 'nudge_exhausted',
    status: 'partial',
    steps: [silence, silence, silence],
    message: /asked 2 times/,
    iterations: 3,
  },
  {
    reason: 'budget_exceeded',
    status: 'partial',
    steps: [
      { reply: { ...calls(read('a')).reply, prompt_eval_count: 300, eval_count: 300 } },
      { reply: { ...calls(read('b')).reply, prompt_eval_count: 300, eval_count: 300 } },
      answer,
    ],
    options: { config: { budget: { max_tokens_total: 1000 } } },
    message: /budget of 1,000 tokens is spent: 1,200 used/,
    iterations: 2,
  },
  {
    reason: 'timeout',
    status: 'partial',
    steps: [calls(write('a.md')), { fault: { kind: 'hang' } }],
    options: { config: { call_timeout_ms: 150 } },
    message: /per-call timeout/i,
    iterations: 2,
  },
  {
    reason: 'context_full',
    status: 'partial',
    steps: [answer],
    options: { config: { task: 'word '.repeat(2000), window_tokens: 1024 } },
    message: /^Ollama refused the conversation as too long for its window of 1,024 tokens/,
    iterations: 1,
  },
  {
    reason: 'stopped',
    status: 'cancelled',
    steps: [calls(write('a.md')), { ...answer, pace: { prompt_ms: 10_000 } }],
    options: {
      during: async ({ log }) => {
        await until(log, () => log.state.calls === 2);
        log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
      },
    },
    message: /Stopped immediately, in iteration 2/,
    iterations: 2,
  },
  {
    reason: 'error',
    status: 'failed',
    steps: [calls(write('a.md')), { fault: { kind: 'http', status: 500, body: { error: 'boom' } } }],
    message: /boom/,
    iterations: 2,
  },
];

it('sends a request that is too long by the estimate alone, and lets Ollama decide (C6)', async () => {
  await using run = await play([{ reply: { content: 'It fits.', prompt_eval_count: 900 } }], {
    config: { task: 'word '.repeat(2000), window_tokens: 1024 },
  });
  expect(run.of('model-call.started')[0]?.estimated_tokens).toBeGreaterThan(1024);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', output: 'It fits.' });
});

it.each(endings)(
  'ends with $reason [G17, N4, T18, T19]',
  async ({ reason, status, steps, options, message, iterations }) => {
    await using run = await play(steps, options);
    expect(run.end.result.termination_reason).toBe(reason);
    expect(run.end.result.status).toBe(status);
    expect(run.end.result.iterations_used).toBe(iterations);
    expect(Object.keys(run.end.result).sort()).toEqual([
      'error',
      'iterations_used',
      'model_used',
      'output',
      'status',
      'termination_reason',
      'tokens_in',
      'tokens_out',
    ]);
    expect(run.end.message).toMatch(message);
    for (const seq of run.end.evidence) expect(run.log.events[seq - 1]?.seq).toBe(seq);
    if (iterations > 0 && reason !== 'stopped') expect(run.end.evidence.length).toBeGreaterThan(0);
    expect(run.end.result.error !== null).toBe(['error', 'timeout', 'context_full'].includes(reason));
    for (const event of run.log.events) expect(runEvent.safeParse(event).error).toBeUndefined();
    for (const event of run.progress) expect(progressEvent.safeParse(event).error).toBeUndefined();
  },
);

it('refuses the third equal round before it is executed, and names the calls [G6, G19]', async () => {
  await using run = await play([calls(read('a.md'), read('b.md'))]);
  expect(run.of('tool-call.started')).toHaveLength(4);
  expect(run.of('policy.warned')).toMatchObject([
    {
      code: 'agentic_repetition_stop',
      detail: {
        task_id: run.log.state.runId,
        iteration: 3,
        repeated_calls: [read('a.md'), read('b.md')],
      },
    },
  ]);
  const statuses = run.progress.filter((event) => event.type === 'status');
  expect(statuses).toMatchObject([{ code: 'agentic_repetition_stop', message: /read_file, read_file/ }]);
  expect(run.end.evidence).toEqual(run.of('reply.parsed').map((event) => event.seq));
});

it('an iteration without a call is not part of a series of identical ones, and does not end one [G9]', async () => {
  const same = calls(read('a.md'));
  await using run = await play([same, silence, same, silence, same]);
  expect(run.end.result).toMatchObject({ termination_reason: 'repetition', iterations_used: 5 });
  expect(run.of('tool-call.started')).toHaveLength(2);
});

it('a stall is warned of, and told as a status that says why [G19]', async () => {
  await using run = await play([1, 2, 3, 4, 5].map((n) => calls(read(`${n}.md`))));
  expect(run.of('policy.warned')).toMatchObject([
    {
      code: 'agentic_stall_stop',
      message: 'No new information in 5 iterations.',
      detail: { task_id: run.log.state.runId, iteration: 5 },
    },
  ]);
  expect(run.progress.filter((event) => event.type === 'status')).toMatchObject([
    { code: 'agentic_stall_stop', message: /No new information/ },
  ]);
});

it('where several checks would end a run, the first in order names the reason [G18]', async () => {
  await using repeated = await play([calls(read('a.md'))], { config: { max_iterations: 3 } });
  expect(repeated.end.result.termination_reason).toBe('repetition');

  const files = { 'big.md': 'line\n'.repeat(12_000) };
  const reads = calls(...Array.from({ length: 12 }, () => read('big.md')));
  const window = { window_tokens: 8192, result_chars: 8000 };
  await using full = await play([reads, answer], { files, config: window });
  expect(full.end.result.termination_reason).toBe('context_full');

  const costly = { reply: { ...reads.reply, prompt_eval_count: 600, eval_count: 600 } };
  const config = { ...window, budget: { max_tokens_total: 1000 } };
  await using spent = await play([costly, answer], { files, config });
  expect(spent.end.result.termination_reason).toBe('budget_exceeded');

  await using stopped = await play([{ ...costly, pace: { prompt_ms: 100 } }, answer], {
    files,
    config,
    during: async ({ log }) => {
      await until(log, () => log.state.phase === 'calling');
      log.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
    },
  });
  expect(stopped.end.result.termination_reason).toBe('stopped');
});

it('a write in iteration 3 stalls after iteration 8; with the trivial tier stall is named first [G10, G18]', async () => {
  const reads = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => calls(read(`${n}.md`)));
  await using run = await play([...reads.slice(0, 2), calls(write('a.md')), ...reads.slice(3)]);
  expect(run.end.result).toMatchObject({ termination_reason: 'stall', iterations_used: 8 });
  await using trivial = await play(reads, { config: { max_iterations: 5 } });
  expect(trivial.end.result).toMatchObject({ termination_reason: 'stall', iterations_used: 5 });
});

it('a task that only reads is not stopped while it reads something new; failures are not new [G11]', async () => {
  const files = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [`${n}.md`, `File ${n}`]));
  const reads = Object.keys(files).map((path) => calls(read(path)));
  await using reading = await play([...reads, answer], { files });
  expect(reading.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 9 });
  expect(reading.of('tool-call.ended').map((event) => event.new_information)).toEqual(reads.map(() => true));

  await using failing = await play([1, 2, 3, 4, 5].map((n) => calls(write('../outside.md', `${n}`))));
  expect(failing.end.result.termination_reason).toBe('stall');

  const missing = [1, 2, 3, 4, 5, 6].map((n) => calls(read(`none-${n}.md`)));
  await using off = await play([...missing, answer], { config: { stall_guard: false } });
  expect(off.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 7 });
});

it('reading the same files by turns stalls; a file that was changed meanwhile is new again [G11]', async () => {
  const files = { 'a.md': 'A', 'b.md': 'B' };
  const turns = [1, 2, 3, 4].flatMap(() => [calls(read('a.md')), calls(read('b.md'))]);
  await using run = await play(turns, { files });
  expect(run.end.result).toMatchObject({ termination_reason: 'stall', iterations_used: 7 });
  expect(run.end.message).toContain('in the 5 iterations since iteration 2');

  const changed = [...turns.slice(0, 3), calls(write('b.md', 'C')), ...turns.slice(3)];
  await using again = await play([...changed, answer], { files, config: { stall_threshold: 3 } });
  expect(again.of('tool-call.ended').map((event) => event.new_information)).toEqual([
    true,
    true,
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(again.end.result).toMatchObject({ termination_reason: 'stall', iterations_used: 8 });
});

it('nudges an empty reply and a plan with the exact words, then takes a plan as answer [G12, G15, G16]', async () => {
  const plan = says('I will read the file and then write the summary.');
  await using run = await play([silence, plan, plan]);
  expect(run.end.outcome).toEqual({ kind: 'announced_work_did_none' });
  expect(run.end.message).toBe(
    'The model announced work and did none of it: no tool call succeeded after 2 nudges.',
  );
  expect(run.end.result.status).toBe('partial');
  expect(run.sent(1).at(-1)).toEqual({ role: 'user', content: NUDGE_TEXT });
  expect(run.sent(1)).toHaveLength(3);
  expect(run.sent(2).slice(-2)).toEqual([
    { role: 'assistant', content: 'I will read the file and then write the summary.' },
    { role: 'user', content: NUDGE_TEXT },
  ]);
  expect(run.of('policy.nudged').map((event) => event.cause)).toEqual(['empty', 'plan']);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 3 });
});

it('does not nudge plans when the switch is off [G13]', async () => {
  await using run = await play([says('I will read the file.')], { config: { nudge_plans: false } });
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 1 });
  // Someone who switched the nudges off wants a plan.
  expect(run.end.outcome).toEqual({ kind: 'answered' });
});

it('ends as answered when a question is answered without any tool, however often it was nudged', async () => {
  await using run = await play([says('Let me think. The capital of France is Paris.')]);
  expect(run.of('policy.nudged')).toHaveLength(2);
  expect(run.end).toMatchObject({ outcome: { kind: 'answered' }, result: { status: 'completed' } });
});

it('ends as announced when the model did some work, then only announced the rest', async () => {
  const plan = says('The file says 42. Now I will write the summary.');
  await using run = await play([calls(read('a.md')), plan]);
  expect(run.of('tool-call.ended')).toHaveLength(1);
  expect(run.end.outcome).toEqual({ kind: 'announced_work_did_none' });
});

it('ends as answered when a call after the nudge succeeded, whatever the last words', async () => {
  const plan = says('I will read a.md.');
  const last = says('Let me summarise: it holds a word. I will stop here.');
  await using run = await play([plan, calls(write('a.md')), last, calls(write('b.md')), last]);
  expect(run.of('tool-call.ended').map(({ result }) => result.success)).toEqual([true, true]);
  expect(run.end.outcome).toEqual({ kind: 'answered' });
});

it('empty, plan, empty ends [G14]', async () => {
  await using run = await play([silence, says('First, I will look.'), silence]);
  expect(run.end.result.termination_reason).toBe('nudge_exhausted');
  expect(run.end.result.output).toBe('First, I will look.');
});

it('nudges are counted over the whole attempt, and work between them gives none back [G14]', async () => {
  await using run = await play([silence, calls(read('a.md')), silence, calls(read('b.md')), silence]);
  expect(run.of('policy.nudged')).toHaveLength(2);
  expect(run.end.result).toMatchObject({ termination_reason: 'nudge_exhausted', iterations_used: 5 });
});

it('asks again with the higher limit after a cut reply, in the same iteration [T20, T21, G4]', async () => {
  await using run = await play([
    {
      attempts: [
        { reply: { content: 'tick', eval_count: 2048 } },
        { reply: { content: 'The task is done.' } },
      ],
    },
  ]);
  expect(run.fake.chats.map((chat) => chat.options)).toMatchObject([
    { num_predict: 2048 },
    { num_predict: 4096 },
  ]);
  expect(run.of('policy.retried')).toMatchObject([
    { message: 'The reply was cut off at 2,048 tokens. It is requested again with up to 4,096.' },
  ]);
  expect(run.sent(1)).toEqual(run.sent(0));
  expect(run.end.result).toMatchObject({ output: 'The task is done.', iterations_used: 1 });
  expect(run.end.result.tokens_out).toBeGreaterThan(2048);
});

it('after a second cut the whole calls are run and the reader is warned [T21]', async () => {
  const cutReply = { tool_calls: [write('a.md')], done_reason: 'length' };
  await using run = await play([{ attempts: [{ reply: cutReply }, { reply: cutReply }] }, answer]);
  expect(run.of('tool-call.ended')).toHaveLength(1);
  expect(run.of('policy.warned').map((event) => event.code)).toEqual(['reply_cut']);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('after a second cut the text is the answer, a cut call is not run, and thoughts alone are empty [T21]', async () => {
  const text = { content: 'Half an answer that I will', done_reason: 'length' };
  await using run = await play([{ reply: text }]);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', output: text.content });
  expect(run.end.outcome).toEqual({ kind: 'answered_cut_off' });
  expect(run.end.result.status).toBe('partial');
  expect(run.end.message).toMatch(/^The answer was cut off .*, the second time in a row\.$/);
  expect(run.of('policy.warned').map((event) => event.code)).toEqual(['reply_cut']);

  const call = {
    content: '<tool_call>{"name": "write_file", "arguments": {"path": "a.md", "content": "half',
  };
  await using cutCall = await play([{ reply: { ...call, done_reason: 'length' } }]);
  expect(cutCall.of('tool-call.started')).toEqual([]);

  const thoughts = { thinking: 'Hmm, let me see.', eval_count: 4096, done_reason: 'length' };
  await using thinking = await play([{ reply: thoughts }], { config: { think: true } });
  expect(thinking.of('policy.nudged').map((event) => event.cause)).toEqual(['empty', 'empty']);
  expect(thinking.end.result.termination_reason).toBe('nudge_exhausted');
  expect(thinking.end.message).toBe(
    "The model's last reply was cut off at the reply limit of 4,096 tokens, the second time in a row, before a text or a whole call arrived. It had been asked 2 times to use the tools.",
  );
});

it('counts one token in the singular', async () => {
  const cut = { content: 'A', eval_count: 1, done_reason: 'length' };
  await using run = await play([{ reply: cut }], { config: { num_predict: [1, 1] } });
  expect(run.of('policy.retried').map(({ message }) => message)).toEqual([
    'The reply was cut off at 1 token. It is requested again with up to 1.',
  ]);
  expect(run.of('policy.warned').map(({ message }) => message)).toEqual([
    'The second reply was cut off as well, at 1 token. The part that arrived is used.',
  ]);
  await using spent = await play([calls(read('a.md')), answer], {
    config: { budget: { max_tokens_total: 1 } },
  });
  expect(spent.end.message).toMatch(/^The budget of 1 token is spent: /);
});

it('names the reply limit, and not Ollama, if the last call was cut off before it was complete', async () => {
  const cutCall = { content: '', eval_count: 4096, done_reason: 'length' };
  await using run = await play([{ reply: cutCall }], {
    config: { num_predict: [4096, 4096], max_nudges: 0 },
  });
  expect(run.end).toMatchObject({
    message:
      "The model's last reply was cut off at the reply limit of 4,096 tokens, the second time in a row, before a text or a whole call arrived.",
    result: { termination_reason: 'nudge_exhausted' },
  });
});

it('retries a broken call once, then takes its text as the answer [T22, G4]', async () => {
  const broken = says('Here it is: <tool_call>{"name": "read_file", "arguments": {"path": </tool_call>');
  await using run = await play([broken]);
  expect(run.fake.chats).toHaveLength(2);
  expect(run.sent(1)).toEqual(run.sent(0));
  expect(run.of('policy.retried').map((event) => event.cause)).toEqual(['malformed']);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 1 });
  expect(run.of('policy.warned').map((event) => event.code)).toEqual(['malformed_call_as_answer']);
  expect(run.end.outcome).toEqual({ kind: 'announced_work_did_none' });
  expect(run.end.message).toBe(
    'The last reply was a tool call that could not be read: no tool call succeeded.',
  );
});

it('a call that Ollama swallowed or refused is retried once, then nudged [T22, G12]', async () => {
  const swallowed: ScenarioStepInput = { reply: { content: '', eval_count: 40 } };
  await using run = await play([swallowed, calls(read('a.md')), answer]);
  expect(run.of('policy.retried').map((event) => event.cause)).toEqual(['malformed']);
  expect(run.of('policy.nudged').map((event) => event.cause)).toEqual(['malformed']);
  expect(run.end.result.termination_reason).toBe('final_answer');

  await using refused = await play([{ fault: { kind: 'malformed-call' } }, answer]);
  expect(refused.of('model-call.failed').map((event) => event.kind)).toEqual([
    'malformed_call',
    'malformed_call',
  ]);
  expect(refused.of('policy.nudged').map((event) => event.cause)).toEqual(['malformed']);
  expect(refused.end.result.termination_reason).toBe('final_answer');
});

const dropped = (tokens: number): ScenarioStepInput => ({ reply: { content: '', eval_count: tokens } });

it('says how many tokens Ollama dropped, in the retry, the nudge, the end and the counts [T22]', async () => {
  await using run = await play([dropped(27)]);
  const words = 'The model wrote 27 tokens, but none arrived: Ollama drops tool calls that it cannot read.';
  expect(run.of('reply.parsed')).toMatchObject(
    Array(6).fill({ outcome: 'empty', malformed: true, swallowed_tokens: 27 }),
  );
  expect(run.of('policy.retried').map(({ message }) => message)).toEqual([words, words, words]);
  expect(run.of('policy.nudged').map((event) => summarize({ ...event }))).toEqual([
    `Nudge 1 of 2: ${words}`,
    `Nudge 2 of 2: ${words}`,
  ]);
  expect(run.end).toMatchObject({
    message: `${words.replace('The model', 'In its last reply the model')} It had been asked 2 times to use the tools.`,
    result: { termination_reason: 'nudge_exhausted' },
  });
  expect(run.end.evidence).toContain(run.of('reply.parsed').at(-1)?.seq);
  expect(run.log.state.parsed.malformed).toBe(6);
});

it('says at the end that Ollama refused the last call, and counts every one it refused [T22]', async () => {
  await using run = await play([{ fault: { kind: 'malformed-call' } }]);
  expect(run.end.message).toBe(
    "Ollama could not read the model's last tool call and passed nothing on. It had been asked 2 times to use the tools.",
  );
  expect(run.end.evidence).toContain(run.of('model-call.failed').at(-1)?.seq);
  expect(run.log.state.parsed.malformed).toBe(6);
});

it('keeps the outcome of the last reply until its work is checked', async () => {
  await using run = await play([dropped(27)], {
    config: { checks: [{ type: 'file_exists', path: 'a.md' }] },
  });
  expect(run.end.message).toContain('In its last reply the model wrote 27 tokens, but none arrived');
});

it('still calls a reply empty whose tokens are accounted for', async () => {
  await using run = await play([{ reply: { content: ' \n ', eval_count: 4 } }]);
  expect(run.of('policy.retried')).toEqual([]);
  expect(run.end.message).toBe(
    'The model gave an empty reply although it was asked 2 times to use the tools.',
  );
});

it('does not nudge in the last iteration, where no reply could follow [G12]', async () => {
  await using run = await play([silence], { config: { max_iterations: 1 } });
  expect(run.of('policy.nudged')).toEqual([]);
  expect(run.end.result.termination_reason).toBe('max_iterations');
  expect(run.end.message).toBe('The only iteration was used without an answer.');
});

it('counts nudges per attempt, because each is a separate conversation [G14]', async () => {
  await using run = await play([silence], {
    config: { checks: [{ type: 'file_exists', path: 'a.md' }], max_attempts: 2 },
  });
  expect(run.of('policy.nudged').map(({ count }) => count)).toEqual([1, 2, 1, 2]);
  expect(run.of('attempt.started')).toHaveLength(2);
});

const partial = { thinking: 'Let me see what there is.', content: 'I have read one file so far.' };
const stopNowWhen =
  (text: string): TaskOptions['during'] =>
  async ({ log }) => {
    await vi.waitFor(() => expect(JSON.stringify(log.deltas)).toContain(text));
    log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
  };
/** Continues its call after a stop. */
const deaf = (model: ChatModel): ChatModel => ({
  ...model,
  chat: (request, context) => model.chat(request, { ...context, signal: new AbortController().signal }),
});
const begun = (fault: FaultInput): ScenarioStepInput => ({ reply: partial, fault });

it.each<[string, FaultInput, TaskOptions]>([
  ['that is stopped at once', { kind: 'hang', after_tokens: 10 }, { during: stopNowWhen('one') }],
  [
    'that does not end in time after a stop',
    { kind: 'hang', after_tokens: 10 },
    { during: stopNowWhen('one'), loop: ({ model }) => ({ stopGraceMs: 1, model: deaf(model) }) },
  ],
  ['that takes too long', { kind: 'hang', after_tokens: 10 }, { config: { call_timeout_ms: 400 } }],
  ['whose connection is closed', { kind: 'close', after_tokens: 10 }, {}],
  ['that ends without its last line', { kind: 'no-done', after_tokens: 10 }, {}],
  ['that an error of Ollama ends', { kind: 'error-line', error: 'the runner died', after_tokens: 10 }, {}],
  ['whose tool call Ollama cannot read', { kind: 'malformed-call', after_tokens: 10 }, {}],
  ['with a broken line', { kind: 'broken-line', after_tokens: 10 }, {}],
])(
  'keeps the text and thinking of a reply %s, and estimates its tokens [T17]',
  async (_how, fault, options) => {
    await using run = await play([calls(write('a.md')), begun(fault)], {
      ...options,
      config: { live_tokens: true, think: true, ...options.config },
    });
    const failed = run.of('model-call.failed')[0];
    expect(failed).toMatchObject({ partial_thinking: partial.thinking });
    expect(failed?.partial_text).toMatch(/^I have read one/);
    const chars = `${failed?.partial_text}${failed?.partial_thinking}`.length;
    expect(failed).toMatchObject({
      estimated_reply_tokens: Math.ceil(chars / 4),
      estimated_prompt_tokens: run.of('model-call.started')[1]?.estimated_tokens,
    });
    const estimated = run
      .of('model-call.failed')
      .reduce((sum, one) => sum + (one.estimated_reply_tokens ?? 0) + (one.estimated_prompt_tokens ?? 0), 0);
    const { result, tokens_estimated } = run.end;
    const counted = run
      .of('model-call.ended')
      .reduce((sum, one) => sum + (one.prompt_tokens ?? 0) + (one.reply_tokens ?? 0), 0);
    expect(tokens_estimated).toBe(estimated);
    expect(result.tokens_in + result.tokens_out).toBe(counted + estimated);
    expect(result.output).toMatch(/^I have read one/);
  },
);

it('counts estimated tokens against the budget, and says that they are estimates [V1]', async () => {
  await using run = await play(
    [
      {
        attempts: [
          { reply: { content: 'word '.repeat(400) }, fault: { kind: 'close', after_tokens: 300 } },
          calls(read('a.md')),
        ],
      },
    ],
    { config: { live_tokens: true, budget: { max_tokens_total: 2000 } } },
  );
  const [failed] = run.of('model-call.failed');
  const [ended] = run.of('model-call.ended');
  const estimated = (failed?.estimated_prompt_tokens ?? 0) + (failed?.estimated_reply_tokens ?? 0);
  expect((ended?.prompt_tokens ?? 0) + (ended?.reply_tokens ?? 0)).toBeLessThan(2000);
  expect(run.of('budget.checked').at(-1)).toMatchObject({
    exceeded: 'tokens',
    tokens_estimated: estimated,
  });
  expect(run.end.message).toMatch(/^The budget of 2,000 tokens is spent: ≈[\d,]+ used\.$/);
});

it('warns once for each version of its model that is loaded instead of the one that was checked', async () => {
  const versions = [undefined, 'second', 'second', 'third'];
  await using run = await play([calls(read('a')), calls(read('b')), calls(read('c')), answer], {
    loop: ({ model }) => ({
      yieldToOthers: async () => true,
      model: {
        ...model,
        load: async (...asked) => {
          const loaded = await model.load(...asked);
          return { ...loaded, digest: versions.shift() ?? loaded.digest };
        },
      },
    }),
  });
  expect(run.of('model.loaded').map(({ digest }) => digest)).toEqual([
    undefined,
    'second',
    'second',
    'third',
  ]);
  const warned = run.of('policy.warned').filter(({ code }) => code === 'model_replaced');
  expect(warned.map(({ message }) => message)).toEqual(
    Array(2).fill(expect.stringContaining('pulled or created again')),
  );
});

it('counts estimates for replies without any token counts, so that a budget can be spent [T8, V1]', async () => {
  const uncounted = { prompt_eval_count: null, eval_count: null };
  const steps = ['a', 'b', 'c', 'd'].map((name) => ({ reply: { ...calls(read(name)).reply, ...uncounted } }));
  await using run = await play(steps, { config: { budget: { max_tokens_total: 2000 } } });
  expect(run.of('model-call.ended')[0]).toMatchObject({
    estimated_prompt_tokens: run.of('model-call.started')[0]?.estimated_tokens,
    estimated_reply_tokens: Math.ceil('read_file{"path":"a"}'.length / 4),
  });
  const { tokens_in = 0, tokens_out = 0 } = run.end.result;
  expect(tokens_in).toBeGreaterThan(0);
  expect(run.end.tokens_estimated).toBe(tokens_in + tokens_out);
  expect(run.end.result.termination_reason).toBe('budget_exceeded');
  expect(run.end.message).toMatch(/^The budget of 2,000 tokens is spent: ≈[\d,]+ used\.$/);
});

it('gives the visible part of an interrupted text as the output [T16, T17]', async () => {
  const leaked = { content: 'One file is read. <think>Now I wonder about the next' };
  await using run = await play([{ reply: leaked, fault: { kind: 'hang', after_tokens: 12 } }], {
    config: { live_tokens: true, call_timeout_ms: 400 },
  });
  expect(run.of('model-call.failed')[0]?.partial_text).toContain('<think>');
  expect(run.end.result.output).toBe('One file is read.');
});

it('retries a passing failure twice with growing pauses, then goes on', async () => {
  const waits: number[] = [];
  const busy = { fault: { kind: 'busy' as const } };
  await using run = await play([{ attempts: [busy, busy, { reply: { content: 'The task is done.' } }] }], {
    loop: () => ({ sleep: async (ms) => void waits.push(ms) }),
  });
  expect(waits).toEqual([2000, 8000]);
  expect(run.of('policy.retried').map((event) => event.cause)).toEqual(['transient', 'transient']);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 1 });
});

describe('a call that runs out of memory', () => {
  const full = {
    fault: { kind: 'http' as const, status: 500, body: { error: 'cudaMalloc failed: out of memory' } },
  };
  const memory = { termination_reason: 'error', error: { code: 'model_out_of_memory' } };

  it('is retried once where Ollama unloads all models after it', async () => {
    const waits: number[] = [];
    const loop = () => ({ sleep: async (ms: number) => void waits.push(ms) });
    const version = '0.30.0';
    const last = { reply: { content: 'The task is done.' } };
    await using run = await play([{ attempts: [full, last] }], { loop, fake: { version } });
    expect(waits).toEqual([2000]);
    expect(run.of('policy.retried')).toMatchObject([
      { cause: 'transient', message: expect.stringContaining('out of memory') },
    ]);
    expect(run.end.result.termination_reason).toBe('final_answer');
    await using again = await play([{ attempts: [full, full, last] }], { loop, fake: { version } });
    expect(again.of('policy.retried')).toHaveLength(1);
    expect(again.end.result).toMatchObject(memory);
  });

  it.each(['0.24.0', undefined])('is not retried otherwise: Ollama %s', async (version) => {
    await using run = await play([full, answer], { fake: { version } });
    expect(run.of('policy.retried')).toEqual([]);
    expect(run.end.result).toMatchObject(memory);
  });

  it('is not retried when it was a load, which Ollama itself has repeated', async () => {
    await using run = await play([answer], {
      fake: { version: '0.30.0' },
      scenario: { load_fault: full.fault },
    });
    expect(run.of('policy.retried')).toEqual([]);
    expect(run.end.result).toMatchObject(memory);
  });
});

it('ends with a hint and without a retry for a missing model and one without tools', async () => {
  await using missing = await play([answer], { config: { model: 'absent' } });
  expect(missing.end.result.error).toMatchObject({ code: 'model_missing', hint: /ollama pull absent/ });
  expect(missing.of('policy.retried')).toEqual([]);
  await using plain = await play([answer], {
    fake: { models: [{ name: 'play', capabilities: ['completion'] }] },
  });
  expect(plain.end.result.error).toMatchObject({ code: 'model_no_tool_support' });
  expect(plain.fake.chats).toEqual([]);
});

it('asks a model that cannot think again without thinking, and warns once', async () => {
  await using run = await play([calls(read('a.md')), answer], {
    config: { think: true },
    fake: { models: [{ name: 'play', capabilities: ['completion', 'tools'] }] },
  });
  expect(run.fake.chats.map((chat) => chat.think)).toEqual([true, false, false]);
  expect(run.of('policy.warned').map((event) => event.code)).toEqual(['thinking_unsupported']);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('asks a model without thinking levels with plain thinking, and warns once', async () => {
  await using run = await play([calls(read('a.md')), answer], {
    config: { think: 'high' },
    fake: { models: [{ name: 'play', thinking_levels: false }] },
  });
  expect(run.fake.chats.map((chat) => chat.think)).toEqual(['high', true, true]);
  expect(run.of('model-call.started').map((event) => event.think)).toEqual(['high', true, true]);
  expect(run.of('policy.warned').map((event) => event.code)).toEqual(['thinking_levels_unsupported']);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('asks a model that cannot think at all without thinking, even where a level was configured', async () => {
  await using run = await play([calls(read('a.md')), answer], {
    config: { think: 'low' },
    fake: { models: [{ name: 'play', capabilities: ['completion', 'tools'] }] },
  });
  expect(run.fake.chats.map((chat) => chat.think)).toEqual(['low', false, false]);
  expect(run.of('policy.warned').map((event) => event.code)).toEqual(['thinking_unsupported']);
});

it('folds all results older than three rounds at once, and keeps the record whole [C2, C3, C5, C7]', async () => {
  const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`${n}.md`, `${n}`.repeat(6000)]));
  const reads = [1, 2, 3, 4, 5, 6].map((n) => calls(read(`${n}.md`)));
  await using run = await play([...reads, answer], {
    files,
    config: { stall_guard: false, window_tokens: 10_000 },
  });
  const [compacted, ...later] = run.of('policy.compacted');
  expect(later).toEqual([]);
  expect(compacted?.folded.map((fold) => fold.kind)).toEqual(['one-line', 'one-line']);
  expect(compacted?.before_tokens).toBeGreaterThan(7500);
  const last = run.sent(6).filter((message) => message.role === 'tool');
  expect(last[0]?.content).toMatch(/^read_file 1\.md: ok/);
  expect(last[5]?.content.length).toBeGreaterThan(6000);
  expect(
    run.log.state.messages.filter((message) => message.role === 'tool')[0]?.content.length,
  ).toBeGreaterThan(6000);
  expect(run.fake.chats.every((chat) => JSON.stringify(chat.options).includes('"num_ctx":10000'))).toBe(true);
});

it('cuts a single large result to head and tail, and shortens on the word of the server [C6]', async () => {
  await using run = await play([calls(read('big.md')), answer], {
    files: { 'big.md': 'line\n'.repeat(12_000) },
    config: { window_tokens: 8192, result_chars: 8000 },
  });
  expect(run.of('policy.compacted')[0]?.folded).toMatchObject([{ kind: 'head-and-tail' }]);
  expect(run.end.result.termination_reason).toBe('final_answer');

  const overflow = {
    fault: {
      kind: 'http' as const,
      status: 400,
      body: { error: 'the input length exceeds the context length' },
    },
  };
  // Quotes are written as two characters each: the server counts twice the tokens that the estimate sees.
  await using refused = await play([calls(read('big.md')), answer], {
    files: { 'big.md': `${'"'.repeat(99)}\n`.repeat(90) },
    config: { window_tokens: 8192 },
  });
  expect(refused.of('policy.retried').map((event) => event.cause)).toEqual(['overflow']);
  expect(refused.of('policy.compacted')).toHaveLength(1);
  expect(refused.end.result.termination_reason).toBe('final_answer');

  await using full = await play([overflow]);
  expect(full.end.result).toMatchObject({
    termination_reason: 'context_full',
    error: { code: 'model_overflow' },
  });
});

it('keeps estimate and measured prompt tokens side by side [C11]', async () => {
  await using run = await play([{ reply: { content: 'The task is done.', prompt_eval_count: 77 } }]);
  expect(run.of('model-call.started')[0]?.estimated_tokens).toBeGreaterThan(100);
  expect(run.log.state.context.promptTokens).toBe(77);
});

it('a graceful stop finishes the step in hand, with its calls [S13]', async () => {
  await using run = await play(
    [{ ...calls(write('a.md'), write('b.md')), pace: { prompt_ms: 100 } }, answer],
    {
      during: async ({ log }) => {
        await until(log, () => log.state.phase === 'calling');
        log.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
      },
    },
  );
  expect(run.end).toMatchObject({
    forced: false,
    result: { termination_reason: 'stopped', iterations_used: 1 },
  });
  expect(run.end.files_written).toEqual(['a.md', 'b.md']);
});

it('a forced stop aborts the call at once and keeps the partial reply [S14]', async () => {
  await using run = await play([calls(write('a.md')), { fault: { kind: 'hang' } }], {
    during: async ({ log }) => {
      await until(log, () => log.state.calls === 2 && log.state.phase === 'calling');
      log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
    },
  });
  expect(run.end).toMatchObject({ forced: true, files_written: ['a.md'] });
  expect(run.of('model-call.failed')[0]?.kind).toBe('aborted');
});

it('a forced stop kills the running tool at once [S14]', async () => {
  await using run = await play([calls({ name: 'run_command', arguments: { command: 'sleep 30' } })], {
    during: async ({ log }) => {
      await until(log, () => log.state.phase === 'executing');
      log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
    },
  });
  expect(run.end.result.termination_reason).toBe('stopped');
  expect(run.end.at - (run.of('stop.requested')[0]?.at ?? 0)).toBeLessThan(3000);
});

/** The same tools, with another way to run a call. */
const executing =
  (open: OpenTools, execute: ToolBox['execute']): OpenTools =>
  async (config) => {
    const tools = await open(config);
    return { ...tools, toolbox: { ...tools.toolbox, execute } };
  };

it('a tool that ignores the stop is left behind, and its outcome is unknown [S14]', async () => {
  await using run = await play([calls(write('a.md'))], {
    loop: ({ openTools }) => ({
      stopGraceMs: 20,
      openTools: executing(openTools, () => new Promise(() => {})),
    }),
    during: async ({ log }) => {
      await until(log, () => log.state.phase === 'executing');
      log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
    },
  });
  expect(run.of('tool-call.interrupted')).toHaveLength(1);
  expect(run.end.result.termination_reason).toBe('stopped');
});

it('a shutdown suspends the run without a trace of the call that was out; a stop cuts a pause short', async () => {
  await using run = await play([{ fault: { kind: 'hang' } }], {
    during: async ({ log, shutdown }) => {
      await until(log, () => log.state.phase === 'calling');
      shutdown.abort();
    },
  });
  expect(run.outcome).toEqual({ outcome: 'suspended' });
  expect(run.log.events.at(-1)?.type).toBe('model-call.started');

  await using paused = await play([{ fault: { kind: 'busy' } }], {
    loop: () => ({ sleep: (_ms, signal) => delay(60_000, undefined, { signal }) }),
    during: async ({ log }) => {
      await until(log, () => log.state.retries.transient === 1);
      log.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
    },
  });
  expect(paused.end.result.termination_reason).toBe('stopped');
});

it('an unexpected exception ends the run with an error that names it', async () => {
  await using run = await play([calls(write('a.md'))], {
    loop: ({ openTools }) => ({
      openTools: executing(openTools, () => Promise.reject(new TypeError('a bug'))),
    }),
  });
  expect(run.outcome.outcome).toBe('ended');
  expect(run.end.result).toMatchObject({ termination_reason: 'error', error: { code: 'internal_error' } });
  expect(run.end.message).toContain('a bug');
  expect(run.of('tool-call.interrupted')).toHaveLength(1);
});

it('checks the work, corrects it, and gives up after three attempts [V5, V6, V7, V9, V10]', async () => {
  const checks: RunConfig['checks'] = [
    { type: 'file_exists', path: 'a.md' },
    { type: 'file_contains', path: 'a.md', text: 'right' },
  ];
  const firstTask = { match: 'Do the task.' };
  await using run = await play([calls(write('a.md', 'wrong')), answer], {
    config: { checks },
    scenario: firstTask,
  });
  expect(run.of('attempt.started')).toHaveLength(3);
  expect(run.of('verification.checked').map((event) => event.outcome)).toEqual([
    ...['partial_pass', 'partial_pass', 'partial_pass'],
  ]);
  expect(run.end).toMatchObject({ verification: 'partial_pass', result: { iterations_used: 6 } });
  const corrective = run.sent(2)[1]?.content ?? '';
  expect(corrective).toMatch(/^Do the task\.\n\n/);
  expect(corrective).toContain('The file a.md should contain: right');
  expect(corrective).toContain('a.md');
  expect(run.sent(2)).toHaveLength(2);
});

it('passes in the second attempt; V9: a guarded run whose work is right passes in part [V5]', async () => {
  const checks: RunConfig['checks'] = [{ type: 'file_contains', path: 'a.md', text: 'right' }];
  await using run = await play([calls(write('a.md', 'wrong')), answer], {
    config: { checks },
    fake: {
      models: [{ name: 'play' }],
      scenarios: [
        {
          name: 'correct',
          model: 'play',
          match: 'did not pass its checks',
          steps: [calls(write('a.md', 'right')), answer],
        },
      ],
    },
  });
  expect(run.of('verification.checked').map((event) => event.outcome)).toEqual(['fail', 'pass']);
  expect(run.end).toMatchObject({ verification: 'pass', result: { iterations_used: 4 } });

  await using timedOut = await play([calls(write('a.md', 'right')), { fault: { kind: 'hang' } }], {
    config: { checks, call_timeout_ms: 150 },
  });
  expect(timedOut.end).toMatchObject({
    verification: 'partial_pass',
    result: { termination_reason: 'timeout', error: { code: 'model_timeout' } },
  });
  expect(timedOut.of('attempt.started')).toHaveLength(1);
});

it.each([
  { found: 'right', verification: 'partial_pass', attempts: 1 },
  { found: 'wrong', verification: 'pass', attempts: 2 },
])('checks the work of a run whose model was not loaded again in time: $found work [V9]', async (wanted) => {
  const log = new MemoryLog();
  const checks: RunConfig['checks'] = [{ type: 'file_exists', path: 'a' }];
  const config = sampleConfig({ live_tokens: false, checks });
  const scripted = callingModel(log, [[write('a')], [read('a')]]);
  let loads = 0;
  const model: ChatModel = {
    ...scripted,
    load: async (request, context) => {
      loads += 1;
      if (loads !== 2) return scripted.load(request, context);
      throw new ModelError({ kind: 'timeout', code: 'load_timeout', message: 'Not loaded in time.' });
    },
  };
  let verified = 0;
  const runChecks = async () => {
    verified += 1;
    return checks.map((check) => ({
      check,
      passed: wanted.found === 'right' || verified > 1,
      output: '',
      duration_ms: 1,
    }));
  };
  const tools = scriptedTools(['read_file', 'write_file'], (tool) => ({ success: true, tool, output: 'x' }));
  await driveLoop(log, config, {
    model,
    openTools: openerOf(tools, { runChecks }),
    yieldToOthers: async () => loads === 1,
    sleep: async () => {},
  });
  const [started] = eventsOf(log.events, 'verification.started');
  expect(started).toMatchObject({ reason: 'timeout', error: { code: 'load_timeout' } });
  expect(log.state.attempts).toHaveLength(wanted.attempts);
  expect(log.state.ended?.verification).toBe(wanted.verification);
  if (wanted.attempts > 1) return;
  expect(log.state.ended).toMatchObject({
    result: { termination_reason: 'timeout', error: { code: 'load_timeout' } },
    message: 'Not loaded in time.',
    files_written: ['a'],
  });
});

it.each([
  ['timeout', 1],
  ['timeout', 2],
  ['model_missing', 1],
  ['unreachable', 2],
] as const)(
  'a stop during a load that fails (%s, load %i) is the reason of the end [G18]',
  async (kind, nth) => {
    const log = new MemoryLog();
    const scripted = callingModel(log, [[read('a')]]);
    let loads = 0;
    const model: ChatModel = {
      ...scripted,
      load: async (request, context) => {
        loads += 1;
        if (loads !== nth) return scripted.load(request, context);
        log.append([stop()]);
        throw new ModelError({ kind, message: 'Not loaded.' });
      },
    };
    const config = sampleConfig({ live_tokens: false, server_wait_seconds: 600 });
    const tools = scriptedTools(['read_file'], (tool) => ({ success: true, tool, output: 'x' }));
    await driveLoop(log, config, {
      model,
      openTools: openerOf(tools),
      yieldToOthers: async () => loads === 1,
      sleep: async () => {},
    });
    expect(loads).toBe(nth);
    expect(log.state.ended).toMatchObject({
      result: { termination_reason: 'stopped', status: 'cancelled', error: null },
      message:
        nth === 1
          ? 'Stopped on request before the first iteration.'
          : 'Stopped on request after iteration 1.',
    });
  },
);

it.each([
  ['was cut off', 'The first half', 'length'],
  ['holds half a call', '<tool_call>{"name": "read_file", "arg', 'stop'],
  ['only announces work', 'I will read the file.', 'stop'],
  ['is empty', '', 'stop'],
])('asks for no other reply after a stop: one that %s [S13]', async (_, content, doneReason) => {
  const log = new MemoryLog();
  const model = scriptedModel(async () => {
    log.append([stop()]);
    return { message: { role: 'assistant', content }, timings: {}, doneReason };
  });
  const tools = scriptedTools(['read_file'], (tool) => ({ success: true, tool, output: 'x' }));
  await driveLoop(log, sampleConfig({ live_tokens: false }), { model, openTools: openerOf(tools) });
  const asked = [...eventsOf(log.events, 'policy.retried'), ...eventsOf(log.events, 'policy.nudged')];
  expect(asked).toEqual([]);
  expect(log.state.result).toMatchObject({ termination_reason: 'stopped', status: 'cancelled' });
});

/** Replies with `steps` if the request contains `match`; the corrective prompt begins a new conversation. */
const where = (match: string, steps: ScenarioStepInput[]) => ({
  fake: { models: [{ name: 'play' }], scenarios: [{ name: 'matched', model: 'play', match, steps }] },
});

it('corrects a wrong answer in a second attempt, which is told the difference [V5, V6, V11]', async () => {
  const checks: RunConfig['checks'] = [
    { type: 'answer_equals', value: 42 },
    { type: 'answer_matches', pattern: '^\\d+ \\+' },
    { type: 'tool_not_called', tool: 'write_file' },
    { type: 'iterations_at_most', iterations: 1 },
  ];
  await using run = await play([says('5 + 37 = 41')], {
    config: { checks, nudge_plans: false },
    ...where('did not pass its checks', [says('5 + 37 = **42**.')]),
  });
  const [first, second] = run.of('verification.checked');
  expect(first?.checks.map(({ passed, output }) => [passed, output])).toEqual([
    [false, 'The last number in the answer is 41, not 42.'],
    [true, 'It matches "5 +".'],
    [true, 'It was not called.'],
    [true, 'The attempt took 1 iteration.'],
  ]);
  expect(second?.outcome).toBe('pass');
  expect(run.end).toMatchObject({ verification: 'pass', outcome: { kind: 'answered' } });
  const corrective = run.sent(1)[1]?.content ?? '';
  expect(corrective).toContain(
    '- The last number in the answer should be 42.\n  The last number in the answer is 41, not 42.',
  );
  expect(corrective).toContain('The earlier answer was:\n5 + 37 = 41');
  expect(corrective).toContain(
    'These checks passed, but apply to this attempt again:\n- The tool write_file should not be called.',
  );
});

it('tells a further attempt what was said to the one before [V6]', async () => {
  await using run = await play([calls(read('a.md')), says('It is 41.')], {
    files: { 'a.md': '41' },
    config: { checks: [{ type: 'answer_contains', text: '42' }], max_attempts: 2, nudge_plans: false },
    during: async ({ log }) => {
      log.append([{ type: 'operator.messaged', message_id: 'm1', text: 'Add one to what is there.' }]);
    },
    ...where('did not pass its checks', [says('It is 42.')]),
  });
  expect(run.end).toMatchObject({ verification: 'pass' });
  const corrective = run.of('attempt.started')[1]?.messages ?? [];
  expect(corrective.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(corrective[1]?.content).toMatch(
    /^Do the task\.\n\nThe user added during an earlier attempt:\n- Add one to what is there\.\n\nAn earlier attempt/,
  );
});

it('counts the calls of the last attempt, and judges no answer where there is none [V9, V11]', async () => {
  const checks: RunConfig['checks'] = [
    { type: 'tool_called', tool: 'write_file', arguments: { path: 'a.md' } },
    { type: 'answer_contains', text: 'done' },
  ];
  await using run = await play([calls(write('a.md', 'x')), says('All set.')], {
    config: { checks, max_attempts: 2 },
    ...where('did not pass its checks', [says('It is done.')]),
  });
  expect(
    run.of('verification.checked').map(({ checks: results }) => results.map(({ output }) => output)),
  ).toEqual([
    [
      'write_file was called 1 time with these arguments.',
      'The answer does not contain the text. It is: "All set."',
    ],
    ['write_file was not called with these arguments.', 'The answer contains it.'],
  ]);

  await using limited = await play([calls(write('a.md', 'done'))], {
    config: { checks, max_attempts: 1, max_iterations: 1 },
  });
  expect(limited.end.verification).toBe('partial_pass');
  expect(limited.of('verification.checked')[0]?.checks[1]).toMatchObject({
    passed: false,
    output: 'There is no answer: the attempt ended with max_iterations.',
  });
});

it('corrects a single answer, which has no workspace [T10, V5, V11]', async () => {
  const checks: RunConfig['checks'] = [
    { type: 'answer_schema', schema: { type: 'object', required: ['city'] } },
    { type: 'answer_contains', text: 'paris' },
  ];
  await using run = await play([says('It is Paris.')], {
    config: { agentic: false, workspace: '', parser_layers: [], checks },
    ...where('did not pass its checks', [says('```json\n{"city": "Paris"}\n```')]),
  });
  expect(run.of('verification.checked').map(({ outcome }) => outcome)).toEqual(['partial_pass', 'pass']);
  expect(run.sent(1)).toHaveLength(1);
  expect(run.sent(1)[0]?.content).toMatch(
    /The earlier answer was:\nIt is Paris\.\n\nAnswer the task again, in full\.$/,
  );
  expect(run.end).toMatchObject({
    verification: 'pass',
    result: { output: '```json\n{"city": "Paris"}\n```' },
  });
});

it('judges the same after a crash before the result was stored [D19, V11]', async () => {
  const checks: RunConfig['checks'] = [
    { type: 'answer_equals', value: 42, tolerance: 1 },
    { type: 'answer_matches', pattern: 'km$' },
    { type: 'answer_schema', schema: {} },
    { type: 'tool_called', tool: 'write_file', at_least: 2 },
    { type: 'iterations_at_most', iterations: 1 },
  ];
  const config = { checks, max_attempts: 1 };
  await using run = await play([calls(write('a.md', 'x')), says('41 km')], { config });
  const cut = run.log.events.findIndex(({ type }) => type === 'verification.started') + 1;
  await using resumed = await play([answer], { config, events: run.log.events.slice(0, cut) });
  const judged = (of: typeof run) =>
    of
      .of('verification.checked')
      .map(({ checks: results }) => results.map(({ passed, output }) => [passed, output]));
  expect(judged(resumed)).toEqual(judged(run));
  expect(judged(run)[0]?.map(([passed]) => passed)).toEqual([true, true, false, false, false]);
});

it('the single-shot path streams one answer, offers no tools and gives the same result [T9, T10, N5]', async () => {
  await using run = await play([{ reply: { content: 'Four. <tool_call>{"name": "x"}</tool_call>' } }], {
    config: { agentic: false, workspace: '', system: 'Answer.', parser_layers: [] },
  });
  expect(run.fake.chats).toHaveLength(1);
  expect(run.fake.chats[0]).toMatchObject({ stream: true });
  expect(run.fake.chats[0]?.tools ?? []).toEqual([]);
  expect(run.sent(0)).toEqual([
    { role: 'system', content: 'Answer.' },
    { role: 'user', content: 'Do the task.' },
  ]);
  expect(run.end.result).toMatchObject({
    status: 'completed',
    termination_reason: 'final_answer',
    iterations_used: 1,
  });
  expect(run.log.deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')).toMatch(
    /^Four\./,
  );
});

it('with live tokens the reply is streamed, with the same result [K-21]', async () => {
  await using run = await play([calls(write('a.md')), answer], { config: { live_tokens: true } });
  expect(run.fake.chats.map((chat) => chat.stream)).toEqual([true, true]);
  expect(run.end.files_written).toEqual(['a.md']);
  const text = run.log.deltas.filter((delta) => delta.type === 'text');
  let expected = 0;
  for (const delta of text) {
    expect(delta.offset).toBe(expected);
    expected += delta.text.length;
  }
});

it('at a timeout the last text, the files and the number of calls are kept [T17, K-36]', async () => {
  const steps = [
    { reply: { ...calls(write('a.md')).reply, content: 'First I write.' } },
    { reply: { ...calls(write('b.md'), read('a.md')).reply, content: 'Then I look.' } },
    // A reply with only calls: its empty text must not replace the previous text.
    calls(read('b.md')),
    { fault: { kind: 'hang' as const } },
  ];
  await using run = await play(steps, { config: { call_timeout_ms: 150 } });
  expect(run.end.result).toMatchObject({
    status: 'partial',
    termination_reason: 'timeout',
    output: 'Then I look.',
  });
  expect(run.end).toMatchObject({ files_written: ['a.md', 'b.md'], tool_calls: 4 });
});

const started: ScenarioStepInput = {
  reply: {
    ...calls(write('a.md')).reply,
    content: 'First I write.',
    prompt_eval_count: 600,
    eval_count: 600,
  },
};
it.each<Pick<(typeof endings)[number], 'reason' | 'steps' | 'options'> & { tool_calls: number }>([
  {
    reason: 'max_iterations',
    steps: [started, calls(read('a.md'))],
    options: { config: { max_iterations: 2 } },
    tool_calls: 2,
  },
  { reason: 'repetition', steps: [started, calls(read('a.md'))], tool_calls: 3 },
  { reason: 'stall', steps: [started, ...[1, 2, 3, 4, 5].map((n) => calls(read(`${n}`)))], tool_calls: 6 },
  { reason: 'nudge_exhausted', steps: [started, silence], tool_calls: 1 },
  {
    reason: 'budget_exceeded',
    steps: [started],
    options: { config: { budget: { max_tokens_total: 1000 } } },
    tool_calls: 1,
  },
  {
    reason: 'stopped',
    steps: [started, { ...answer, pace: { prompt_ms: 10_000 } }],
    options: {
      during: async ({ log }) => {
        await until(log, () => log.state.calls === 2);
        log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
      },
    },
    tool_calls: 1,
  },
  {
    reason: 'error',
    steps: [started, { fault: { kind: 'http', status: 400, body: { error: 'boom' } } }],
    tool_calls: 1,
  },
])('$reason keeps the last text, the files and the number of calls [T17]', async (ending) => {
  await using run = await play(ending.steps, ending.options);
  expect(run.end.result).toMatchObject({ termination_reason: ending.reason, output: 'First I write.' });
  expect(run.end).toMatchObject({ files_written: ['a.md'], tool_calls: ending.tool_calls });
});

it('an answer ends the run at once, and its thoughts are no part of the output [T16]', async () => {
  await using run = await play([says('<think>Is it done?</think>It is done.'), answer]);
  expect(run.fake.chats).toHaveLength(1);
  expect(run.end.result).toMatchObject({ termination_reason: 'final_answer', output: 'It is done.' });
});

it('the log of a run gives every kind of progress event, each in its form [E1, E6, E7, E8]', async () => {
  const cut = { reply: { ...says('The file').reply, done_reason: 'length' } };
  const plan = says('I will look at the file.');
  const thought = { reply: { ...calls(read('a.md')).reply, thinking: 'Hm.', content: 'I look.' } };
  const again = calls(read('b.md'));
  await using run = await play([{ attempts: [cut, plan] }, thought, again, again, again], {
    files: { 'a.md': 'A', 'b.md': 'B' },
    config: { live_tokens: true, think: true },
  });
  expect(run.end.result.termination_reason).toBe('repetition');
  await using long = await play([calls(read('a.md')), answer], {
    files: { 'a.md': 'line\n'.repeat(12_000) },
    config: { window_tokens: 8192, result_chars: 8000 },
  });
  const heard = [...run.progress, ...long.progress];
  expect(new Set(heard.map(({ type }) => type))).toEqual(
    new Set([
      ...['run_started', 'iteration_started', 'tool_call_started', 'tool_call', 'token', 'thinking'],
      ...['nudge', 'retry', 'context_trimmed', 'budget', 'status', 'run_finished'],
    ]),
  );
  for (const event of heard) {
    expect(progressEvent.parse(event)).toEqual(event);
    expect(event.timestamp).toBeGreaterThan(1_600_000_000_000);
    expect(Number.isInteger(event.timestamp)).toBe(true);
  }
  expect(run.progress.find(({ type }) => type === 'iteration_started')).toMatchObject({ iteration: 1 });
  expect(run.progress.filter(({ type }) => type === 'status')).toMatchObject([
    { code: 'agentic_repetition_stop', message: /read_file/ },
  ]);
});

it('a run goes on without knowing what is in memory, and says so once', async () => {
  await using run = await play([calls(read('a.md')), answer], {
    fake: { faults: { '/api/ps': { kind: 'http', status: 404, body: '404 page not found' } } },
    loop: () => ({ yieldToOthers: async () => true }),
  });
  expect(run.end.result.termination_reason).toBe('final_answer');
  expect(run.of('policy.warned')).toMatchObject([
    { code: 'memory_unknown', message: expect.stringContaining('/api/ps answers 404') },
  ]);
  expect(run.of('model.loaded').length).toBeGreaterThan(1);
  for (const loaded of run.of('model.loaded')) {
    expect(loaded).toMatchObject({ already_loaded: false, context_tokens: undefined });
  }
});

it('a change of models is announced once, and the wait for it does not count as spent [K-25]', async () => {
  const turns = [calls(read('a.md')), calls(read('b.md')), calls(read('c.md')), answer];
  await using run = await play(turns, {
    loop: ({ fake }) => ({
      yieldToOthers: async () => {
        const body = JSON.stringify({ model: 'play', messages: [], keep_alive: 0 });
        await fetch(`${fake.url}/api/chat`, { method: 'POST', body });
        await delay(30);
        return true;
      },
    }),
  });
  expect(run.end.result.termination_reason).toBe('final_answer');
  expect(run.of('policy.warned')).toMatchObject([
    { code: 'models_take_turns', message: expect.stringContaining('Reloading it took') },
  ]);
  const waits = run.of('model.load-started').flatMap(({ waited_ms }) => waited_ms ?? []);
  expect(waits).toHaveLength(3);
  for (const waited of waits) expect(waited).toBeGreaterThan(25);
  expect(run.log.state.lostMs).toBeCloseTo(
    waits.reduce((sum, waited) => sum + waited, 0),
    5,
  );
});

it('gives one event per executed call, after its result [E4]', async () => {
  await using run = await play([calls(read('a.md'), read('b.md')), answer], { files: { 'a.md': 'A' } });
  const events = run.progress.filter((event) => event.type.startsWith('tool_call'));
  expect(events).toMatchObject([
    { type: 'tool_call_started', tool_name: 'read_file' },
    {
      type: 'tool_call',
      tool_name: 'read_file',
      args_summary: '{"path":"a.md"}',
      result_summary: expect.stringContaining('"success":true'),
      iteration: 1,
    },
    { type: 'tool_call_started', tool_name: 'read_file' },
    { type: 'tool_call', result_summary: expect.stringContaining('"success":false'), iteration: 1 },
  ]);
  const times = run.of('tool-call.ended').map(({ at }) => at);
  expect(events.filter(({ type }) => type === 'tool_call').map(({ timestamp }) => timestamp)).toEqual(times);
});

it('lowers the window to what the model holds, and says so [C7, K-19]', async () => {
  await using run = await play([answer], { fake: { models: [{ name: 'play', context_length: 8192 }] } });
  expect(run.fake.chats[0]?.options).toMatchObject({ num_ctx: 8192 });
  expect(run.of('policy.warned')).toMatchObject([
    {
      code: 'window_lowered',
      message: 'play holds at most 8,192 tokens: the window is 8,192 instead of 32,768.',
    },
  ]);
});

it('a model that takes longer to load than a call may take is waited for [K-25]', async () => {
  await using run = await play([{ reply: { content: 'The answer is 4.' } }], {
    config: { call_timeout_ms: 2000, load_timeout_ms: 60_000 },
    scenario: { pace: { load_ms: 2600 } },
  });
  expect(run.end.result.termination_reason).toBe('final_answer');
  expect(run.of('model.loaded')[0]?.load_ms).toBeGreaterThan(2000);
});
