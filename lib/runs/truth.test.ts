import { describe, expect, it } from 'vitest';
import { calls, type Play, play, says, until } from './play.ts';

/** Another client of the same server: loads a model with its own window, or takes it out of memory. */
const another = (url: string, body: object) =>
  fetch(`${url}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ model: 'play', messages: [], stream: false, ...body }),
  });

const list = calls({ name: 'list_directory', arguments: { path: '.' } });

async function disturbed(body: object): Promise<Play> {
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

describe('OL15: a reload by another client is seen before the next call', () => {
  it('names the window it was found with, and loads its own again', async () => {
    await using run = await disturbed({ options: { num_ctx: 8192 } });
    expect(run.of('model.load-started')).toMatchObject([
      { num_ctx: 32_768 },
      { num_ctx: 32_768, cause: 'other_window', found_context_tokens: 8192 },
    ]);
    expect(run.of('model.loaded')).toHaveLength(2);
    expect(run.end.result.termination_reason).toBe('final_answer');
  });

  it('sees that the model is gone', async () => {
    await using run = await disturbed({ keep_alive: 0 });
    expect(run.of('model.load-started')).toMatchObject([{}, { cause: 'unloaded' }]);
    expect(run.end.result.termination_reason).toBe('final_answer');
  });
});

it('K-25: a load in the midst of a run does not count against the limit of the call', async () => {
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

it('S14: a slot that Ollama lost is freed, the log says so, and the run goes on', async () => {
  const broken = { attempts: [{ fault: { kind: 'malformed-call' as const } }, says('Done.')] };
  await using run = await play({ task: 'Answer' }, [broken], {
    fake: { version: '0.17.4', parallel: 1, losesSlots: true },
  });
  expect(run.of('model-call.failed')).toMatchObject([{ kind: 'malformed_call', freed_slot: true }]);
  expect(run.of('model.load-started')).toMatchObject([{}, { cause: 'slot_freed' }]);
  expect(run.end.result.termination_reason).toBe('final_answer');
});

it('S14: a stop waits until a lost slot is freed, and says so, also where that takes longer than its grace', async () => {
  await using run = await play({ task: 'Answer', live_tokens: true }, [says('word '.repeat(500))], {
    fake: { version: '0.17.4', parallel: 1, losesSlots: true },
    scenario: { pace: { ms_per_token: 5 } },
    during: async ({ log }) => {
      await expect.poll(() => log.deltas.some(({ type }) => type === 'text')).toBe(true);
      await log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
    },
  });
  // Two questions of 1.5 s at least stay without an answer, with a grace of one second.
  expect(run.of('model-call.failed')).toMatchObject([{ kind: 'aborted', freed_slot: true }]);
  expect(run.end).toMatchObject({ forced: true });
});

it('OL2: a server that cuts in silence is caught in the same iteration, with the messages lost', async () => {
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
  expect(warned?.message).toMatch(/^Prompt cut: sent ≈ \d+( \d{3})? tokens, evaluated 4 096\./);
  expect(warned?.message).toContain('user “Find the one number in all of this”');
  expect(warned?.detail).toMatchObject({ evaluated_tokens: 4096, call: 2 });
});

it('OL17: what a template leaves out is told once, and is not called a cut', async () => {
  await using run = await play({ task: 'Look twice', window_tokens: 8192, stall_guard: false }, [
    ...['.', './'].map((path) => ({
      reply: { tool_calls: [{ name: 'list_directory', arguments: { path } }], prompt_eval_count: 20 },
    })),
    { reply: { content: 'The task is completed.', prompt_eval_count: 20 } },
  ]);
  const warned = run.of('policy.warned');
  expect(warned.map(({ code, iteration }) => [code, iteration])).toEqual([['prompt_unread', 1]]);
  expect(warned[0]?.message).toMatch(
    /^Not all was read: sent ≈ .* evaluated 20\. The window of 8 192 has room/,
  );
});

it('None of them has 6: the first thought and the first word of a streamed reply are timed', async () => {
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
