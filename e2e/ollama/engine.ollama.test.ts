import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunConfig } from '../../lib/events/config.ts';
import type { RunEventType } from '../../lib/events/registry.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { openUnconfined } from '../../lib/sandbox/unconfined.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { driveLoop } from '../../lib/testing/loop-harness.ts';
import { MemoryLog } from '../../lib/testing/memory-log.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { sampleConfig } from '../../lib/testing/sample-logs.ts';
import { openerOf } from '../../lib/testing/simulate-run.ts';
import { createTaskTools } from '../../lib/tools/registry.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
beforeAll(async () => {
  ollama = await startOllama();
});
afterAll(() => ollama?.stop());

/** Runs a task with the tiny model from start to end, in a fresh folder with the files of its tasks. */
async function run(task: string, change: Partial<RunConfig> = {}) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'loupe-ollama-')));
  try {
    for (const name of ['alpha.md', 'notes.md', 'report.md', 'a.md', 'b.md', 'c.md', 'd.md']) {
      await writeFile(join(workspace, name), `This is ${name}. A banana.\n`);
    }
    const config = sampleConfig({
      task,
      model: 'tiny-tools',
      workspace,
      window_tokens: 4096,
      num_predict: [300, 600],
      live_tokens: false,
      think: false,
      model_options: { temperature: 0, seed: 1 },
      ...change,
    });
    const log = new MemoryLog();
    const tools = createTaskTools({ workspace, sandbox: openUnconfined() });
    // The tiny model is asked for a dangerous command on purpose: no command is run here.
    const definitions = tools.definitions.filter((tool) => tool.function.name !== 'run_command');
    const left = await driveLoop(log, config, {
      model: createOllamaChatModel({ host: parseOllamaHost(ollama.url) }),
      openTools: openerOf({ ...tools, definitions }),
    });
    expect(left).toEqual({ outcome: 'ended' });
    const of = <T extends RunEventType>(type: T) => eventsOf(log.events, type);
    const [end] = of('run.ended');
    if (!end) throw new Error('no end');
    return {
      end,
      of,
      counts: log.state.parsed,
      reason: end.result.termination_reason,
      layers: of('reply.parsed').flatMap((event) => event.calls.map((call) => call.layer)),
      tools: of('tool-call.ended').map((event) => `${event.tool} ${event.result.success}`),
      written: await Promise.all(end.files_written.map((path) => readFile(join(workspace, path), 'utf8'))),
    };
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

describe('a Task run with the tiny model', () => {
  it('reads a file and answers', async () => {
    const result = await run('Read alpha.md');
    expect(result).toMatchObject({ reason: 'final_answer', layers: ['native'], tools: ['read_file true'] });
    expect(result.end.result).toMatchObject({ status: 'completed', error: null });
    expect(result.end.result.tokens_in).toBeGreaterThan(0);
    expect(result.end.result.tokens_out).toBeGreaterThan(0);
  });

  it('writes a file', async () => {
    const result = await run('Create notes.md about rivers');
    expect(result).toMatchObject({ reason: 'final_answer', tools: ['write_file true'] });
    expect(result.written[0]?.length).toBeGreaterThan(0);
  });

  it.each([true, false])('runs two calls of one reply, live tokens %s', async (live_tokens) => {
    const result = await run('Read alpha.md twice', { live_tokens });
    expect(result).toMatchObject({ reason: 'final_answer', layers: ['native', 'native'] });
    expect(result.tools).toEqual(['read_file true', 'list_directory true']);
  });

  it.each(['Read alpha.md with a json call.', 'Read alpha.md with a fenced call.'])(
    'reads a call that stands in the text: %s',
    async (task) => {
      const result = await run(task);
      expect(result).toMatchObject({ reason: 'final_answer', layers: ['json'], tools: ['read_file true'] });
    },
  );

  it('nudges a plan into action [G12]', async () => {
    const result = await run('Make a plan, then summarise alpha.md');
    expect(result.of('policy.nudged').map((event) => event.cause)).toEqual(['plan']);
    expect(result).toMatchObject({ reason: 'final_answer' });
    expect(result.tools[0]).toBe('read_file true');
  });

  it('ends as announced if the plan is the last text', async () => {
    const result = await run('Make a plan, then summarise alpha.md', { max_nudges: 0 });
    expect(result.end.result).toMatchObject({ termination_reason: 'final_answer', status: 'partial' });
    expect(result.end.outcome).toEqual({ kind: 'announced_work_did_none' });
    expect(result.tools).toEqual([]);
  });

  it('ends as answered if a question needs no tool', async () => {
    const result = await run('Good day, friend.');
    expect(result.end).toMatchObject({ outcome: { kind: 'answered' }, result: { status: 'completed' } });
  });

  it('retries a call that Ollama dropped, then nudges, and says how many tokens were lost [T22, G12]', async () => {
    const result = await run('Read alpha.md with an unknown tool.');
    const [first, second] = result.of('model-call.ended').map((event) => event.reply_tokens);
    expect(first).toBeGreaterThan(1);
    expect(
      result
        .of('reply.parsed')
        .map((event) => event.swallowed_tokens)
        .slice(0, 3),
    ).toEqual([first, second, undefined]);
    expect(result.counts.malformed).toBe(2);
    expect(result.of('policy.retried').map(({ cause, message }) => [cause, message])).toEqual([
      ['malformed', expect.stringContaining(`The model wrote ${first} tokens, but none arrived`)],
    ]);
    expect(result.of('policy.nudged')).toMatchObject([{ cause: 'malformed', swallowed_tokens: second }]);
    expect(result).toMatchObject({ reason: 'final_answer', tools: ['read_file true'] });
  });

  it('never says that a model answered with nothing when Ollama dropped its call', async () => {
    const result = await run('Read alpha.md with a broken call.');
    const tokens = result.of('model-call.ended').map((event) => event.reply_tokens);
    expect(result.of('reply.parsed').map((event) => event.swallowed_tokens)).toEqual(tokens);
    expect(result.counts.malformed).toBe(tokens.length);
    expect(result.end.message).toBe(
      `In its last reply the model wrote ${tokens.at(-1)} tokens, but none arrived: Ollama drops tool calls that it cannot read. It had been asked 2 times to use the tools.`,
    );
    expect(result.reason).toBe('nudge_exhausted');
  });

  it('keeps what was streamed of a reply that took too long, and estimates its tokens [T17]', async () => {
    const result = await run('Write an endless text', {
      live_tokens: true,
      call_timeout_ms: 1000,
      num_predict: [3500, 3500],
    });
    const [failed] = result.of('model-call.failed');
    expect(failed).toMatchObject({ kind: 'timeout', partial_text: expect.stringContaining('tick') });
    const chars = failed?.partial_text?.length ?? 0;
    expect(failed?.estimated_reply_tokens).toBe(Math.ceil(chars / 4));
    expect(result.end.result.output).toContain('tick');
    expect(result.end.result.tokens_out).toBe(failed?.estimated_reply_tokens);
    expect(result.end.tokens_estimated).toBe(result.end.result.tokens_in + result.end.result.tokens_out);
  });

  it('gives up on a model that replies with nothing [G15]', async () => {
    const result = await run('Be silent');
    expect(result.reason).toBe('nudge_exhausted');
    expect(result.of('policy.retried')).toEqual([]);
  });

  it('stops the third identical call [G6]', async () => {
    const result = await run('Get stuck: read alpha.md');
    expect(result).toMatchObject({ reason: 'repetition', tools: ['read_file true', 'read_file true'] });
  });

  it('stops a run that reads the same files again [G10, G11]', async () => {
    const result = await run('wander through the files', { stall_threshold: 1 });
    expect(result).toMatchObject({ reason: 'stall' });
    expect(result.end.result.iterations_used).toBe(5);
  });

  it('stops at the iteration limit [G5]', async () => {
    const result = await run('wander through the files', { max_iterations: 3 });
    expect(result).toMatchObject({ reason: 'max_iterations' });
  });

  it('retries when the limit cuts off an endless text, then keeps the partial text [T21]', async () => {
    const result = await run('Write an endless text', { num_predict: [60, 120] });
    expect(result.of('policy.retried').map((event) => event.cause)).toEqual(['length']);
    expect(result.end.result).toMatchObject({ termination_reason: 'final_answer', status: 'partial' });
    expect(result.end.outcome).toEqual({ kind: 'answered_cut_off' });
    expect(result.end.message).toBe(
      'The answer was cut off at the reply limit of 120 tokens, the second time in a row.',
    );
    expect(result.end.result.output).toMatch(/tick tock/);
    expect(result.of('policy.warned').map((event) => event.code)).toContain('reply_cut');
  });

  it('ends a reply at a text of the option `stop`', async () => {
    const options = { temperature: 0, seed: 1, stop: ['tock', 'never'] };
    const result = await run('Write an endless text', { model_options: options, nudge_plans: false });
    expect(result.end.result).toMatchObject({ termination_reason: 'final_answer', output: 'tick' });
  });

  it('a path that leaves the workspace is a failed result, and the run goes on [O5]', async () => {
    const result = await run('Read a file outside.');
    expect(result).toMatchObject({ reason: 'final_answer', tools: ['read_file false'] });
  });

  it('ends when the token budget is spent [V1]', async () => {
    const result = await run('wander through the files', { budget: { max_tokens_total: 50 } });
    expect(result).toMatchObject({ reason: 'budget_exceeded' });
  });

  it('uses the window that Ollama loaded [K-19]', async () => {
    const result = await run('Read alpha.md', { window_tokens: 32_768 });
    expect(result.of('model-call.started')[0]?.options).toMatchObject({ num_ctx: 8192 });
    expect(result.of('policy.warned').map((event) => event.code)).toContain('window_lowered');
  });

  it('answers once, streamed, without tools [T10]', async () => {
    const result = await run('Hello', {
      agentic: false,
      workspace: '',
      parser_layers: [],
      model: 'tiny-plain',
    });
    expect(result).toMatchObject({ reason: 'final_answer', tools: [] });
    expect(result.of('model-call.started')[0]).toMatchObject({ stream: true, tool_count: 0 });
  });

  it('refuses a model that cannot call tools before sending a request', async () => {
    const result = await run('Read alpha.md', { model: 'tiny-plain' });
    expect(result.end.result.error).toMatchObject({ code: 'model_no_tool_support' });
  });
});

describe('thinking that the model refuses', () => {
  it('falls back from a level to plain thinking, with one warning', async () => {
    const { of } = await run('Read alpha.md', { think: 'high' });
    const sent = of('model-call.started').map(({ think }) => think);
    if (ollama.usesLlamaServer) {
      expect(new Set(sent)).toEqual(new Set(['high']));
      expect(of('model-call.failed')).toEqual([]);
      return;
    }
    expect(sent).toEqual(['high', ...sent.slice(1).map(() => true)]);
    expect(of('model-call.failed')).toMatchObject([{ kind: 'no_thinking_levels', status: 400 }]);
    expect(of('policy.warned').filter(({ code }) => code.startsWith('thinking'))).toMatchObject([
      { code: 'thinking_levels_unsupported' },
    ]);
  });

  it('falls back to none for a model that cannot think', async () => {
    const { of } = await run('Say hello', { model: 'tiny-plain', agentic: false, think: 'low' });
    expect(of('model-call.started').map(({ think }) => think)).toEqual(['low', false]);
    expect(of('policy.warned').map(({ code }) => code)).toEqual(['thinking_unsupported']);
  });
});
