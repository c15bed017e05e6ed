import { describe, expect, it } from 'vitest';
import { promptReading } from '../browser/words/call-phases.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { calls, type PlayedRun, play, says, until } from '../testing/loop-harness.ts';

/** Another client of the same server: loads a model with its own window, or unloads it. */
const another = (url: string, body: object) =>
  fetch(`${url}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ model: 'play', messages: [], stream: false, ...body }),
  });

const list = calls({ name: 'list_directory', arguments: { path: '.' } });

async function disturbed(body: object): Promise<PlayedRun> {
  return play({ task: 'Look twice' }, [list, says('Done.')], {
    during: async ({ log, fake }) => {
      const release = fake.hold('play', { turn: 0 });
      await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
      await expect.poll(() => fake.chats.length).toBe(1);
      await another(fake.url, body);
      release();
    },
  });
}

describe('a reload by another client is seen before the next call [OL15]', () => {
  it('names the window it was found with, and loads its own again', async () => {
    await using run = await disturbed({ options: { num_ctx: 8192 } });
    expect(run.of('model.load-started')).toMatchObject([
      { num_ctx: 32_768 },
      { num_ctx: 32_768, cause: 'other_window', found_context_tokens: 8192 },
    ]);
    expect(run.of('model.loaded')).toHaveLength(2);
    expect(run.end.result.termination_reason).toBe('final_answer');
  });

  it('notices that the model was removed', async () => {
    await using run = await disturbed({ keep_alive: 0 });
    expect(run.of('model.load-started')).toMatchObject([{}, { cause: 'unloaded' }]);
    expect(run.end.result.termination_reason).toBe('final_answer');
  });
});

it('sends one chat per iteration and one to load, and asks about the model at most once per call', async () => {
  const look = (path: string) => calls({ name: 'list_directory', arguments: { path } });
  await using run = await play({ task: 'Look', stall_guard: false }, [
    look('.'),
    look('./'),
    calls(...['.', './'].map((path) => ({ name: 'list_directory', arguments: { path } }))),
    says('Done.'),
  ]);
  const counts = Object.groupBy(run.fake.requests, ({ path }) => path);
  expect(run.fake.chats).toHaveLength(4);
  expect(counts['/api/chat']).toHaveLength(4 + 1);
  // Two for the load; calls within milliseconds of each other share an answer.
  expect(counts['/api/ps']?.length).toBeGreaterThanOrEqual(2);
  expect(counts['/api/ps']?.length).toBeLessThanOrEqual(2 + 4);
  const others = Object.entries(counts).filter(([path]) => path !== '/api/chat' && path !== '/api/ps');
  expect(others.flatMap(([, requests]) => requests ?? []).length).toBeLessThanOrEqual(6);
});

it('a load in the midst of a run does not count against the limit of the call [K-25]', async () => {
  await using run = await play({ task: 'Look twice', call_timeout_seconds: 2 }, [list, says('Done.')], {
    scenario: { pace: { load_ms: 3000 } },
    during: async ({ log, fake }) => {
      const release = fake.hold('play', { turn: 0 });
      await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
      await expect.poll(() => fake.chats.length).toBe(1);
      await another(fake.url, { keep_alive: 0 });
      release();
    },
  });
  expect(run.of('model-call.failed')).toEqual([]);
  expect(run.of('model.loaded').map(({ load_ms }) => load_ms >= 3000)).toEqual([true, true]);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('a slot that Ollama lost is freed, the log says so, and the run goes on [S14]', async () => {
  const broken = { attempts: [{ fault: { kind: 'malformed-call' as const } }, says('Done.')] };
  // Unstreamed: Ollama then reads the whole reply before it refuses its call.
  await using run = await play({ task: 'Answer', live_tokens: false }, [broken], {
    fake: { version: '0.17.4', parallel: 1, losesSlots: true },
  });
  expect(run.of('model-call.failed')).toMatchObject([{ kind: 'malformed_call', freed_slot: true }]);
  expect(run.of('model.load-started')).toMatchObject([{}, { cause: 'slot_freed' }]);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('a stop waits until a lost slot is freed, and says so, even where that takes longer than its grace [S14]', async () => {
  await using run = await play({ task: 'Answer', live_tokens: true }, [says('word '.repeat(500))], {
    fake: { version: '0.17.4', parallel: 1, losesSlots: true },
    scenario: { pace: { ms_per_token: 5 } },
    during: async ({ log }) => {
      await expect.poll(() => log.deltas.some(({ type }) => type === 'text')).toBe(true);
      log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
    },
  });
  // Two probes of at least 1.5 s get no answer, with a grace of one second.
  expect(run.of('model-call.failed')).toMatchObject([{ kind: 'aborted', freed_slot: true }]);
  expect(run.end).toMatchObject({ forced: true });
});

it('ends a run at a server that stopped answering as such, and times the call alone', async () => {
  await using run = await play({ task: 'Answer', call_timeout_seconds: 1 }, [says('Done.')], {
    during: async ({ fake }) => {
      fake.hold('play', { turn: 0 });
      await expect.poll(() => fake.chats.length).toBe(1);
      fake.freeze();
    },
  });
  const [failed] = run.of('model-call.failed');
  expect(failed).toMatchObject({ kind: 'unreachable', error: { code: 'ollama_not_responding' } });
  const [started] = run.of('model-call.started');
  const whole = (failed?.at ?? 0) - (started?.at ?? 0);
  // The clock of the events counts in whole milliseconds.
  expect((failed?.duration_ms ?? 0) + (failed?.cleanup_ms ?? 0)).toBeLessThanOrEqual(whole + 2);
  expect(failed?.cleanup_ms).toBeGreaterThan(1900);
  expect(run.of('policy.retried')).toEqual([]);
  expect(run.end.result).toMatchObject({
    termination_reason: 'error',
    error: { message: expect.stringContaining('is not responding') },
  });
});

it('does not ask again for a model whose name Ollama cannot read', async () => {
  await using run = await play({ task: 'Answer', model: 'two words' }, [says('Done.')]);
  expect(run.of('policy.retried')).toEqual([]);
  expect(run.end.result.error).toMatchObject({
    code: 'model_check_failed',
    hint: '"two words" is not a model name. Names look like qwen3:8b or hf.co/user/model:tag.',
  });
});

it('a server that cuts in silence is caught in the same iteration, with the messages lost [OL2]', async () => {
  await using run = await play(
    { task: 'Find the one number in all of this', window_tokens: 32_768, stall_guard: false },
    [calls({ name: 'read_file', arguments: { path: 'big.txt' } }), says('I forgot the task.')],
    {
      fake: { models: [{ name: 'play', cuts_silently_at: 4096 }] },
      files: { 'big.txt': `${'the long tale of a number '.repeat(1200)}` },
    },
  );
  const [warned] = run.of('policy.warned').filter(({ code }) => code === 'prompt_cut');
  expect(warned?.iteration).toBe(2);
  expect(warned?.message).toMatch(/^Prompt cut: sent ≈ \d+(,\d{3})? tokens, evaluated 4,096\./);
  expect(warned?.message).toContain('user “Find the one number in all of this”');
  expect(warned?.detail).toMatchObject({ evaluated_tokens: 4096, call: 2 });
});

it('what a template leaves out is reported once, and not as a cut [OL17]', async () => {
  await using run = await play({ task: 'Look twice', window_tokens: 8192, stall_guard: false }, [
    ...['.', './'].map((path) => ({
      reply: { tool_calls: [{ name: 'list_directory', arguments: { path } }], prompt_eval_count: 20 },
    })),
    { reply: { content: 'The task is completed.', prompt_eval_count: 20 } },
  ]);
  const warned = run.of('policy.warned');
  expect(warned.map(({ code, iteration }) => [code, iteration])).toEqual([['prompt_unread', 1]]);
  expect(warned[0]?.message).toMatch(
    /^Fewer tokens read than estimated: sent ≈ .* evaluated 20\. Nothing was cut: the window of 8,192 has room/,
  );
});

it('raises no alarm about a cut on a server that refuses what does not fit (OL3, OL17)', async () => {
  const read = (path: string) => ({
    reply: { tool_calls: [{ name: 'read_file', arguments: { path } }], prompt_eval_count: 700 },
  });
  await using run = await play(
    { task: 'Read it twice', window_tokens: 4096, stall_guard: false },
    [read('big.txt'), read('./big.txt'), { reply: { content: 'Done.', prompt_eval_count: 700 } }],
    { fake: { version: '0.17.4' }, files: { 'big.txt': 'the long tale of a number '.repeat(240) } },
  );
  expect(run.of('model-call.started')[1]?.estimated_tokens).toBeGreaterThan(4096 / 2);
  expect(run.of('policy.warned').map(({ code }) => code)).toEqual(['prompt_unread']);
  expect(run.of('policy.warned')[0]?.message).toContain('Ollama 0.17.4 refuses a prompt that does not fit');
});

it('raises one alarm for a prompt that fills its window to the last token, below the estimate too (OL2)', async () => {
  const filled = (path: string) => ({
    reply: { tool_calls: [{ name: 'list_directory', arguments: { path } }], prompt_eval_count: 2048 },
  });
  const config = { task: 'Look three times', window_tokens: 2048, stall_guard: false };
  await using run = await play(
    config,
    [filled('.'), filled('./'), { reply: { content: 'Done.', prompt_eval_count: 2048 } }],
    { fake: { version: '0.17.4' } },
  );
  expect(run.of('model-call.started')[0]?.estimated_tokens).toBeLessThan(2048);
  const alarms = run.of('policy.warned').filter(({ code }) => code === 'prompt_cut');
  expect(alarms.map(({ detail }) => detail)).toMatchObject([
    { call: 1, evaluated_tokens: 2048, window_tokens: 2048, server_version: '0.17.4', lost_count: 0 },
  ]);
  expect(alarms[0]?.message).toContain(
    'evaluated 2,048, which is the whole window. The oldest messages go first',
  );
});

it('knows which call can have nothing cached, and how much was cached where the server tells (OL17)', async () => {
  const cached = { content: 'Done.', prompt_eval_count: 900, prompt_eval_cached_count: 880 };
  await using run = await play({ task: 'Look' }, [list, { reply: cached }]);
  const rows = foldTimeline(emptyTimeline, run.log.events).rows.flatMap((row) =>
    row.kind === 'call' ? [row] : [],
  );
  expect(rows.map(({ afterLoad, ended }) => [afterLoad, ended?.cached_tokens])).toEqual([
    [true, undefined],
    [undefined, 880],
  ]);
  expect(rows.map((row) => promptReading(row)?.cached)).toEqual([0, 880]);
});

it('the first thought and the first word of a streamed reply are timed', async () => {
  await using run = await play({ task: 'Think', think: true, live_tokens: true }, [
    { reply: { thinking: 'I think about it.', content: 'Yes.' }, pace: { prompt_ms: 30, ms_per_token: 5 } },
  ]);
  const [ended] = run.of('model-call.ended');
  const { thinking_ms = 0, text_ms = 0 } = ended?.heard ?? {};
  expect(thinking_ms).toBeGreaterThan(20);
  expect(text_ms).toBeGreaterThan(thinking_ms);
  const since = run.log.deltas.flatMap((delta) =>
    delta.type === 'thinking' && delta.call === 1 ? [delta.since] : [],
  );
  expect(new Set(since).size).toBe(1);
});
