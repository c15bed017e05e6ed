import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { summarizeRun } from '../api/summarize-run.ts';
import { firedLimit } from '../browser/state/ledger.ts';
import { stepName } from '../browser/words/mode-words.ts';
import { endLine, linesOf } from '../cli/lines.ts';
import { FigureReader } from '../compare/figures.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { conversationFill } from '../events/message-size.ts';
import { progressEvent } from '../events/progress.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { resultOfLog } from '../experiments/result-row.ts';
import { HANDOVER_REQUEST, handoverText } from '../policies/handover.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { temporaryFolder } from '../sandbox/under-test.ts';
import { SessionLogProjection } from '../sharing/exports/session-log.ts';
import { calls, play, says, silence, stop, until } from '../testing/loop-harness.ts';
import { createSafetyLayer, createSessionTools, dispatchToolCall } from '../tools/session-tools.ts';
import { BUILT_IN_SYSTEM_PROMPT, buildSystemPrompt, toolDescriptions } from './session-prompt.ts';
import { canStreamWithTools } from './streaming.ts';

const session = { mode: 'session' as const, autopilot: true };
const read = (path: string) => ({ name: 'read_file', arguments: { path } });
const write = (path: string, content = 'x') => ({ name: 'write_file', arguments: { path, content } });

/** Stops a session gracefully once this many turns have ended. */
const stopAfter = (turns: number) => ({
  during: async ({ log }: { log: Parameters<typeof until>[0] }) => {
    await until(log, (events) => events.filter(({ type }) => type === 'turn.ended').length >= turns);
    log.append([stop()]);
  },
});

it('streams every turn with tools, and starts the next turn after a text [S6, S9, S17, S23]', async () => {
  await using run = await play(
    { ...session, autopilot_turns: 100 },
    [{ repeat: 50, steps: [says('Turn {{n}}.')] }],
    stopAfter(50),
  );
  expect(run.end.result).toMatchObject({ termination_reason: 'stopped', status: 'cancelled' });
  expect(run.log.state.turns.completed).toBeGreaterThanOrEqual(50);
  for (const chat of run.fake.chats) {
    expect(chat).toMatchObject({ stream: true, truncate: false, shift: false });
    expect(chat.tools).toHaveLength(4);
  }
  expect(run.sent(0).map(({ role }) => role)).toEqual(['system', 'user']);
  expect(run.sent(0)[1]?.content).toBe('Continue.');
  expect(run.sent(2).slice(2)).toEqual([
    { role: 'assistant', content: 'Turn 1.' },
    { role: 'user', content: 'Continue.' },
    { role: 'assistant', content: 'Turn 2.' },
    { role: 'user', content: 'Continue.' },
  ]);
  // Sent messages do not change when the conversation grows.
  expect(run.sent(1)).toEqual(run.sent(2).slice(0, 4));
  for (const event of run.log.events) expect(runEvent.safeParse(event).error).toBeUndefined();
});

it("starts with the operator's message if there is one", async () => {
  await using run = await play({ ...session, task: 'Look after the garden.' }, [says('Yes.')], stopAfter(1));
  expect(run.sent(0)[1]).toEqual({ role: 'user', content: 'Look after the garden.' });
});

it('streams text, and thinking separately [S6, S8]', async () => {
  let openDuringText = false;
  await using run = await play(
    { ...session, think: true },
    [
      {
        reply: { content: 'One two three four five six.', thinking: 'Hmm, well.' },
        pace: { ms_per_token: 30 },
      },
    ],
    {
      during: async (running) => {
        const { log } = running;
        await vi.waitFor(() => expect(log.deltas.some(({ type }) => type === 'text')).toBe(true), {
          timeout: 20_000,
          interval: 5,
        });
        openDuringText = log.state.calls === 1 && log.state.openCall !== undefined;
        await stopAfter(1).during(running);
      },
    },
  );
  expect(openDuringText).toBe(true);
  const ofFirst = run.log.deltas.flatMap((delta) => ('call' in delta && delta.call === 1 ? [delta] : []));
  const written = ofFirst.filter(({ type }) => type === 'text').map(({ text }) => text);
  expect(ofFirst[0]?.type).toBe('thinking');
  expect(written.length).toBeGreaterThan(1);
  expect(written.join('')).toBe('One two three four five six.');
  expect(run.of('reply.parsed')[0]).toMatchObject({ text: 'One two three four five six.' });
});

it.each(['first', 'middle', 'end', 'last-line', 'spread'] as const)(
  'accepts calls in the %s of the stream, and results refer to their IDs [S7, S10]',
  async (calls_in) => {
    await using run = await play(
      session,
      [
        { reply: { content: 'I will look.', tool_calls: [read('a.md'), write('b.md')], calls_in } },
        says('Done.'),
      ],
      { files: { 'a.md': 'Alpha' }, ...stopAfter(2) },
    );
    const [first, second] = run.of('reply.parsed')[0]?.calls ?? [];
    expect(run.sent(1).slice(2)).toMatchObject([
      {
        role: 'assistant',
        content: 'I will look.',
        tool_calls: [
          { id: first?.given_id, function: read('a.md') },
          { id: second?.given_id, function: write('b.md') },
        ],
      },
      { role: 'tool', tool_name: 'read_file', tool_call_id: first?.given_id },
      { role: 'tool', tool_name: 'write_file', tool_call_id: second?.given_id },
    ]);
    expect(new Set([first?.given_id, second?.given_id, undefined]).size).toBe(3);
    expect(await readFile(join(run.workspace, 'b.md'), 'utf8')).toBe('x');
    expect(
      run
        .of('turn.ended')
        .map(({ outcome }) => outcome)
        .slice(0, 2),
    ).toEqual(['calls', 'text']);
  },
);

it('creates IDs if the server sends none [S10]', async () => {
  const tagged = `<tool_call>${JSON.stringify(read('a.md'))}</tool_call>`;
  await using run = await play(session, [says(tagged), says('Hm.')], stopAfter(2));
  expect(run.sent(1).slice(2)).toMatchObject([
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', function: read('a.md') }] },
    { role: 'tool', tool_call_id: 'c1' },
  ]);
});

it('runs every call of a turn even if an earlier one fails [S10]', async () => {
  await using run = await play(session, [calls(read('no.md'), write('a.md')), says('Hm.')], stopAfter(2));
  expect(run.of('tool-call.ended').map(({ result }) => result.success)).toEqual([false, true]);
});

it('uses SYSTEM_PROMPT.md from the workspace, otherwise the built-in prompt, and logs which [S5]', async () => {
  await using own = await play(session, [says('Hi.')], {
    files: { 'SYSTEM_PROMPT.md': 'You are the keeper of this folder.\n' },
    ...stopAfter(1),
  });
  expect(own.of('attempt.started')[0]).toMatchObject({ system_prompt: 'workspace' });
  expect(own.sent(0)[0]?.content).toMatch(
    /^You are the keeper of this folder\.\n\nYou are the model play\.\n\nYour tools:\n- run_command: /,
  );
  await using without = await play(session, [says('Hi.')], stopAfter(1));
  expect(without.of('attempt.started')[0]).toMatchObject({ system_prompt: 'built-in' });
  expect(without.sent(0)[0]?.content).toContain(BUILT_IN_SYSTEM_PROMPT);
  expect(without.notices).toContain('The workspace has no SYSTEM_PROMPT.md: the built-in prompt is used.');
});

it('a prompt that links out of the workspace or is not text ends the session with the reason [S5]', async () => {
  await using run = await play(session, [says('Hi.')], {
    files: { 'SYSTEM_PROMPT.md': 'x'.repeat(200_000) },
  });
  expect(run.end.result.error).toMatchObject({ code: 'system_prompt_unusable' });
  await using folder = await temporaryFolder();
  const { readWorkspacePrompt } = await import('../tools/workspace-prompt.ts');
  symlinkSync('/etc/hostname', join(folder.path, 'SYSTEM_PROMPT.md'));
  await expect(readWorkspacePrompt(folder.path)).rejects.toMatchObject({ code: 'system_prompt_unusable' });
  mkdirSync(join(folder.path, 'other', 'SYSTEM_PROMPT.md'), { recursive: true });
  await expect(readWorkspacePrompt(join(folder.path, 'other'))).rejects.toMatchObject({
    code: 'system_prompt_unusable',
  });
  writeFileSync(join(folder.path, 'other', 'x'), '');
});

it('adds model and tools to the prompt [S5]', () => {
  const safety = createSafetyLayer({ sandbox: openUnconfined() });
  const tools = createSessionTools({ workspace: '/w', safety }).definitions;
  expect(toolDescriptions(tools).split('\n')).toHaveLength(4);
  expect(buildSystemPrompt('  ', 'm', { tools: toolDescriptions(tools), autopilot: true }).source).toBe(
    'built-in',
  );
  expect(buildSystemPrompt('Mine.', 'm', { tools: '', autopilot: true }).text).toBe(
    'Mine.\n\nYou are the model m.\n\nThere are no tools.',
  );
});

it('emits notices in a separate channel, in order [S3, S4, S11, S12, S21]', async () => {
  const long = 'y'.repeat(300);
  await using run = await play(session, [calls(write('a.md', 'x')), calls(read('b.md')), says('Fine.')], {
    files: { 'b.md': long },
    ...stopAfter(3),
  });
  const { notices } = run;
  expect(notices[0]).toBe(`Session with play in ${run.workspace}. Log: /data/sessions/run.jsonl`);
  expect(notices[2]).toBe('[tool] write_file({"path":"a.md","content":"x"})');
  expect(notices[3]).toMatch(/^\[result\] \{"success":true,.*\}$/);
  expect(notices[5]).toMatch(/^\[result\] .{200}\.\.\.$/);
  expect(notices).toContain('Stopping after this turn. Stop again to stop immediately.');
  expect(notices.at(-1)).toMatch(
    /^Session ended: user_shutdown after \d+ completed turns?\. Log: \/data\/sessions\/run\.jsonl$/,
  );
  const texts = run.progress.flatMap((event) => (event.type === 'token' ? [event.text] : []));
  expect(texts.join('')).toMatch(/^Fine\./);
  expect(texts.join('')).not.toContain('[tool]');
  for (const event of run.progress) expect(progressEvent.safeParse(event).error).toBeUndefined();
});

it('a failing check ends the session before anything else [S1, S2, S3]', async () => {
  await using gone = await play({ ...session, model: 'missing' }, [says('Hi.')]);
  expect(gone.end.result.error?.message).toContain('ollama pull missing');
  expect(gone.fake.chats).toHaveLength(0);
  expect(gone.of('attempt.started')).toHaveLength(0);
  await using broken = await play(session, [says('Hi.')], {
    fake: { faults: { '/api/show': { kind: 'http', status: 500, body: { error: 'boom' } } } },
  });
  expect(broken.end.result.error).toMatchObject({ code: 'model_check_failed' });
  expect(broken.end.result.error?.message).toContain('500');
});

it('the first stop lets the current turn finish, with its calls [S13]', async () => {
  await using run = await play(
    session,
    [
      says('First.'),
      { reply: { content: 'Slowly now.', tool_calls: [write('late.md')] }, pace: { ms_per_token: 60 } },
    ],
    {
      during: async ({ log }) => {
        await until(log, (events) => events.filter(({ type }) => type === 'model-call.started').length === 2);
        log.append([stop()]);
      },
    },
  );
  expect(run.end).toMatchObject({ result: { termination_reason: 'stopped' }, forced: false });
  expect(run.end.message).toBe('Stopped on request after turn 2.');
  expect(run.of('turn.ended').map(({ outcome }) => outcome)).toEqual(['text', 'calls']);
  expect(await readFile(join(run.workspace, 'late.md'), 'utf8')).toBe('x');
});

it('the second stop ends at once, in a stream and in a command [S14]', async () => {
  await using run = await play(
    session,
    [{ reply: { content: 'tick' }, fault: { kind: 'hang', after_tokens: 1 } }],
    {
      during: async ({ log }) => {
        await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
        log.append([stop()]);
        await delay(50);
        expect(log.state.ended).toBeUndefined();
        log.append([stop(true)]);
      },
    },
  );
  expect(run.end).toMatchObject({ result: { termination_reason: 'stopped' }, forced: true });
  await vi.waitFor(() => expect(run.fake.openRequests).toBe(0));

  const started = Date.now();
  await using command = await play(
    session,
    [calls({ name: 'run_command', arguments: { command: 'sleep 30 & sleep 30' } })],
    {
      during: async ({ log }) => {
        await until(log, (events) => events.some(({ type }) => type === 'tool-call.started'));
        log.append([stop(true)]);
      },
    },
  );
  expect(Date.now() - started).toBeLessThan(10_000);
  expect(command.end).toMatchObject({ result: { termination_reason: 'stopped' }, forced: true });
});

it('reports a failing model call and ends the session [S15]', async () => {
  const failing = { kind: 'http' as const, status: 500, body: { error: 'out of memory' } };
  await using run = await play(session, [says('One.'), { fault: failing }]);
  expect(run.end.result).toMatchObject({ termination_reason: 'error', status: 'failed', output: 'One.' });
  expect(run.notices.filter((text) => text.startsWith('[error]')).length).toBeGreaterThanOrEqual(1);
  expect(run.log.state.turns.completed).toBe(1);
});

it('pauses between turns, and honors a stop during the pause [S16]', async () => {
  const loop = () => ({ sleep: (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }) });
  await using run = await play({ ...session, turn_delay: 200 }, [says('A.')], { loop, ...stopAfter(3) });
  const starts = run.of('model-call.started').map(({ at }) => at);
  const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? at));
  expect(gaps.length).toBeGreaterThanOrEqual(2);
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(195);
  expect(run.of('turn.paused')[0]).toMatchObject({ iteration: 1, wait_ms: 200 });

  const started = Date.now();
  await using stopped = await play({ ...session, turn_delay: 60_000 }, [says('A.')], {
    loop,
    during: async ({ log }) => {
      await until(log, (events) => events.some(({ type }) => type === 'turn.paused'));
      log.append([stop()]);
    },
  });
  expect(Date.now() - started).toBeLessThan(10_000);
  expect(stopped.end.result.termination_reason).toBe('stopped');
  expect(stopped.fake.chats).toHaveLength(1);
});

it('ends after as many empty turns as the session allows [S18]', async () => {
  await using run = await play({ ...session, max_empty_replies: 1 }, [says('Hello.'), silence]);
  expect(run.end.message).toBe('The model returned neither text nor a call in 1 turn in a row.');
  expect(run.log.state.turns.completed).toBe(2);
});

it('names the reply limit if the empty turns were cut off by it', async () => {
  const thoughts = { reply: { thinking: 'Hm.', eval_count: 8192, done_reason: 'length' } };
  await using run = await play({ ...session, think: true, max_empty_replies: 1 }, [thoughts, thoughts]);
  expect(run.end.result.error).toMatchObject({
    code: 'empty_turns',
    message: expect.stringContaining('The last reply was cut off at the reply limit of 8,192 tokens'),
    hint: 'Raise the reply limit or the window, turn thinking off, or try another model.',
  });
});

it('three empty turns in a row end the session, and a text resets the count [S18]', async () => {
  await using run = await play(session, [
    silence,
    silence,
    says('Back.'),
    { reply: { content: '<think>Hm.</think>', eval_count: 1 } },
    silence,
    silence,
  ]);
  expect(run.end.result).toMatchObject({
    termination_reason: 'error',
    error: { code: 'empty_turns' },
  });
  expect(run.log.state.turns.completed).toBe(6);
  expect(run.sent(1).map(({ role }) => role)).toEqual(['system', 'user', 'user']);
});

/** A text without token counts, as from a server that reports none. */
const unmeasured = (content: string) => ({ reply: { content, prompt_eval_count: null } });

it('counts what the server measured, and estimates only what came after [C8]', async () => {
  await using run = await play({ ...session, context_limit: 1000 }, [
    { reply: { content: 'Short.', prompt_eval_count: 400 } },
    { reply: { content: 'Short.', prompt_eval_count: 990 } },
    { reply: { content: 'z'.repeat(100), prompt_eval_count: 999 } },
    says('Never asked for.'),
  ]);
  expect(run.of('turn.ended')).toHaveLength(3);
  expect(run.end.result).toMatchObject({ termination_reason: 'context_full' });
  expect(run.end.message).toMatch(/3 completed turns: 1,0\d\d tokens, and the limit is 1,000\./);
});

describe('a handover', () => {
  const handing = { ...session, context_limit: 1000, handover_at: 0.8 };
  const full = { reply: { content: 'z'.repeat(600), prompt_eval_count: 850 } };
  const fresh = (content: string) => ({ reply: { content, prompt_eval_count: 300 } });
  /** The model's replies in the fresh context; the scripted model matches the first user message. */
  const afterwards = (...steps: ReturnType<typeof fresh>[]) => ({
    fake: {
      models: [{ name: 'play', context_length: 2_000_000 }],
      scenarios: [{ name: 'play', match: 'handed over to this fresh context', steps }],
    },
  });

  it('asks for a summary without tools, and continues in a fresh context that begins with it', async () => {
    await using run = await play(
      { ...handing, task: 'Look after the garden.' },
      [full, fresh('The garden needs water.')],
      { ...afterwards(fresh('I water it.'), fresh('Done.')), ...stopAfter(3) },
    );
    const [started] = run.of('handover.started');
    expect(started).toMatchObject({ measured: true, limit_tokens: 1000, text: HANDOVER_REQUEST });
    expect(started?.tokens).toBeGreaterThanOrEqual(800);
    expect(run.of('handover.ended')).toMatchObject([
      { outcome: 'done', text: handoverText('The garden needs water.') },
    ]);
    expect(run.fake.chats[1]?.tools ?? []).toEqual([]);
    expect(run.sent(1).at(-1)).toEqual({ role: 'user', content: HANDOVER_REQUEST });
    expect(run.sent(2).map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(run.sent(2)[0]).toEqual(run.sent(0)[0]);
    expect(run.sent(2)[1]?.content).toBe(handoverText('The garden needs water.'));
    expect(run.fake.chats[2]?.tools).toHaveLength(4);
    // The request for the summary is not a turn.
    expect(
      run
        .of('turn.ended')
        .map(({ iteration }) => iteration)
        .slice(0, 3),
    ).toEqual([1, 3, 4]);
    expect(run.log.state.handover).toMatchObject({ kept: undefined, count: 1 });
    expect(foldAll(emptyRunState('run'), run.log.events)).toEqual(run.log.state);
  });

  it('is no turn, wherever the turns of a session are counted or numbered', async () => {
    await using run = await play(
      { ...handing, autopilot_turns: 3, unattended: true },
      [full, fresh('The garden needs water.')],
      afterwards(fresh('I water it.'), fresh('Done.')),
    );
    const events = run.log.events;
    const started = events.filter(({ type }) => type === 'iteration.started');
    expect(started).toHaveLength(4);
    const summary = summarizeRun(run.log.state);
    expect(summary).toMatchObject({ iterations_used: 4, turns: 3 });
    expect(endLine(summary)).toMatch(/\(3 turns, .*\)\. All 3 turns are done\.$/);
    const headings = foldTimeline(emptyTimeline, events).rows.filter((row) => row.kind === 'iteration');
    expect(headings.map((row) => stepName('session', row))).toEqual([
      ...['Turn 1', 'Summary', 'Turn 2', 'Turn 3'],
    ]);
    const printed = started.flatMap((event) =>
      linesOf(event, foldAll(emptyRunState('run'), events.slice(0, event.seq))),
    );
    expect(
      printed.map((line) =>
        line
          .trim()
          .split(/\s{2,}/)
          .at(-1),
      ),
    ).toEqual([...['Turn 1', 'Summary for the handover', 'Turn 2', 'Turn 3']]);
    const log = new SessionLogProjection();
    const entries = events.flatMap((event) => log.take(event));
    expect(entries.at(-1)).toMatchObject({ event: 'session_end', total_turns: 3 });
    const figures = new FigureReader();
    for (const event of events) figures.take(event);
    expect(figures.figures()).toMatchObject({ iterations: 4, turns: 3 });
    async function* pages() {
      yield events;
    }
    expect(await resultOfLog(pages())).toMatchObject({ iterations: 4, turns: 3, model_calls: 4 });
  });

  it('is named where a stop during it ends the session', async () => {
    await using run = await play(
      handing,
      [full, { reply: { content: 'The garden' }, fault: { kind: 'hang', after_tokens: 1 } }],
      {
        during: async ({ log }) => {
          await until(log, (events) => events.filter(({ type }) => type === 'model-call.started').length > 1);
          log.append([stop(true)]);
        },
      },
    );
    expect(run.end.message).toBe('Stopped immediately, during the handover after turn 1.');
  });

  it.each([
    ['is read as text beside other text', 'I read a.md. Next:\n'],
    ['is read as text before other text', '', '\nThat is what I was about to do.'],
  ])('a call in the summary %s', async (_, before, after = '') => {
    const summary = `${before}<tool_call>{"name": "read_file", "arguments": {"path": "b"}}</tool_call>${after}`;
    await using run = await play(
      handing,
      [{ reply: { tool_calls: [read('a.md')], prompt_eval_count: 850 } }, fresh(summary)],
      {
        files: { 'a.md': 'word '.repeat(300) },
        ...afterwards(fresh('On I go.')),
        ...stopAfter(2),
      },
    );
    expect(run.of('tool-call.started')).toHaveLength(1);
    expect(run.of('handover.ended')).toMatchObject([{ outcome: 'done', text: handoverText(summary) }]);
    expect(run.sent(2).map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it.each([
    ['with tags', '<tool_call>{"name": "read_file", "arguments": {"path": "b"}}</tool_call>'],
    ['in a code block', '```json\n{"name": "read_file", "arguments": {"path": "b"}}\n```'],
    ['after thoughts', '<think>I need b.</think>{"name": "read_file", "arguments": {"path": "b"}}'],
  ])('a call %s is no summary', async (_, call) => {
    await using run = await play(
      { ...handing, context_limit: 1200, handover_at: 0.7 },
      [full, fresh(call)],
      stopAfter(2),
    );
    expect(run.of('handover.ended')).toMatchObject([{ outcome: 'failed' }]);
    expect(run.of('policy.warned').map(({ code }) => code)).toContain('handover_failed');
    expect(run.sent(2)).toEqual([...run.sent(1).slice(0, -1), { role: 'user', content: 'Continue.' }]);
  });

  it('without a summary the conversation continues unchanged', async () => {
    const empty = { reply: { content: '', prompt_eval_count: 860, eval_count: 1 } };
    await using run = await play(
      { ...handing, context_limit: 1200, handover_at: 0.7 },
      [full, { attempts: [empty, { reply: { content: 'I go on.', prompt_eval_count: 990 } }] }],
      stopAfter(2),
    );
    expect(run.of('handover.ended')).toMatchObject([{ outcome: 'failed' }]);
    expect(run.of('policy.warned').map(({ code }) => code)).toContain('handover_failed');
    expect(run.sent(2)).toEqual([...run.sent(1).slice(0, -1), { role: 'user', content: 'Continue.' }]);
    // As full as before: the request for the summary was measured without tools.
    const { events } = run.log;
    const from = events.findIndex(({ type }) => type === 'handover.started');
    const to = events.findIndex(({ type }) => type === 'handover.ended') + 1;
    const fillAt = (end: number) => conversationFill(foldAll(emptyRunState('run'), events.slice(0, end)));
    expect(fillAt(to)).toEqual(fillAt(from));
  });

  it('is not repeated while the fresh context is nearly as long', async () => {
    const long = (content: string) => ({ reply: { content, prompt_eval_count: 850 } });
    await using run = await play(handing, [full, long('s'.repeat(1500))], {
      ...afterwards(long('A few words.'), long('And more.')),
      ...stopAfter(3),
    });
    expect(run.of('handover.started')).toHaveLength(1);
  });

  it('can be resumed after every event, with the same end', async () => {
    const steps = [full, fresh('The garden needs water.')];
    const rest = afterwards(fresh('I water it.'), fresh('Done.'));
    await using whole = await play({ ...handing, autopilot_turns: 3 }, steps, rest);
    expect(whole.outcome).toEqual({ outcome: 'waiting' });
    const { events } = whole.log;
    const from = events.findIndex(({ type }) => type === 'handover.started');
    const to = events.findIndex(({ type }) => type === 'handover.ended');
    for (let cut = from; cut <= to + 1; cut += 1) {
      const kept = events.slice(0, cut + 1);
      const { type } = kept.at(-1) ?? {};
      if (type === 'model-call.ended') continue; // appended together with what was read from it
      kept.push({ type: 'run.resumed', run_id: 'run', seq: kept.length + 1, at: 0, worker: 'w', epoch: 2 });
      await using resumed = await play({ ...handing, autopilot_turns: 3 }, steps, { ...rest, events: kept });
      expect(resumed.of('handover.ended')).toHaveLength(1);
      expect(resumed.log.state.messages).toEqual(whole.log.state.messages);
    }
  });
});

it('ends after the turn that crossed the limit, reporting the turns and what to do [C8, C9]', async () => {
  await using run = await play({ ...session, context_limit: 1000 }, [unmeasured('z'.repeat(900))]);
  expect(run.end.result).toMatchObject({ termination_reason: 'context_full', status: 'partial' });
  const { messages, turns } = run.log.state;
  const chars = (list: typeof messages) => list.reduce((sum, { content }) => sum + content.length, 0);
  expect(chars(messages)).toBeGreaterThan(4000);
  // The previous turn was below the limit, system prompt included.
  expect(chars(messages.slice(0, -2))).toBeLessThanOrEqual(4000);
  expect(messages.at(-1)?.role).toBe('assistant');
  const [warning] = run.of('policy.warned');
  expect(warning).toMatchObject({ code: 'conversation_full' });
  expect(warning?.message).toContain(`${turns.completed} completed turns`);
  expect(warning?.message).toContain('Start a new run');
  expect(run.end.message).toBe(warning?.message);
});

it('shows the fill level that the rule counts, relative to the effective window (C8)', async () => {
  const writes = (path: string) => ({
    // So few tokens mean that the server cut the prompt, so they say nothing about the conversation.
    reply: { tool_calls: [write(path, 'z'.repeat(9000))], prompt_eval_count: 300 },
  });
  await using run = await play(session, [writes('a.md'), writes('b.md')], {
    fake: { models: [{ name: 'play', context_length: 4096 }] },
  });
  expect(run.end.result.termination_reason).toBe('context_full');
  const [, chars = '', limit = ''] =
    /: ([\d,]+) characters, and the limit is ([\d,]+)\./.exec(run.end.message) ?? [];
  const gauge = firedLimit(run.log.state);
  expect(gauge).toMatchObject({ id: 'conversation', tone: 'reached', limit: 4096 });
  expect(gauge?.used).toBe(Number(chars.replace(',', '')) / 4);
  expect(gauge?.limit).toBe(Number(limit.replace(',', '')) / 4);
});

it('continues if only the estimate with tools exceeds the window [C8]', async () => {
  await using run = await play(
    session,
    [
      { reply: { tool_calls: [read('a.md')], prompt_eval_count: null } },
      { reply: { content: 'It fits.', prompt_eval_count: 4000 } },
      { reply: { content: 'Too much.', prompt_eval_count: 5000 } },
    ],
    {
      files: { 'a.md': 'word '.repeat(2850) },
      fake: { models: [{ name: 'play', context_length: 4096 }] },
    },
  );
  expect(run.of('model-call.started').at(1)?.estimated_tokens).toBeGreaterThan(4096);
  expect(run.of('model-call.failed')).toMatchObject([{ kind: 'overflow', call: 3 }]);
  expect(run.end.message).toBe(
    'The conversation is full after 2 completed turns: Ollama refused it as too long for its window of 4,096 tokens. Start a new run to continue.',
  );
  expect(run.of('policy.compacted')).toEqual([]);
  expect(firedLimit(run.log.state)).toMatchObject({ id: 'context', used: 5000, limit: 4096 });
});

it('ends with the turn count and advice if Ollama refuses the conversation as too long, without shortening it [C7, C8]', async () => {
  await using run = await play(session, [
    says('One.'),
    says('Two.'),
    { reply: { content: 'Three.', prompt_eval_count: 40_000 } },
  ]);
  expect(run.of('model-call.failed')).toMatchObject([{ kind: 'overflow' }]);
  const message =
    'The conversation is full after 2 completed turns: Ollama refused it as too long for its window of 32,768 tokens. Start a new run to continue.';
  expect(run.end).toMatchObject({
    result: { termination_reason: 'context_full', error: { code: 'model_overflow' } },
    message,
  });
  expect(run.of('policy.warned').at(-1)).toMatchObject({ code: 'conversation_full', message });
  expect(run.of('policy.compacted')).toEqual([]);
});

it('falls back to complete replies below Ollama 0.8, and says so [K-21]', async () => {
  await using run = await play(session, [calls(read('a.md')), says('Old.')], {
    fake: { version: '0.7.1' },
    ...stopAfter(2),
  });
  expect(run.of('policy.warned')[0]).toMatchObject({
    code: 'streaming_unsupported',
    message: expect.stringContaining('0.7.1'),
  });
  for (const chat of run.fake.chats) expect(chat).toMatchObject({ stream: false });
  expect(run.log.state.turns.completed).toBeGreaterThanOrEqual(2);
});

it.each([
  ['0.7.9', false],
  ['0.8.0', true],
  ['0.8.0-rc1', true],
  ['0.17.4', true],
  ['1.0.0', true],
  ['0.0.0', true],
  ['next', true],
  [undefined, true],
])('version %s streams with tools: %s [K-21]', (server_version, expected) => {
  const preflight = {
    type: 'preflight.checked' as const,
    ...{ run_id: 'r', seq: 1, at: 0, server_version },
    sandbox: { available: false, kind: 'none' },
  };
  expect(canStreamWithTools({ preflight })).toBe(expected);
});

it('shell, read, write and edit share one safety layer [O10]', async () => {
  await using folder = await temporaryFolder();
  const safety = createSafetyLayer({ sandbox: openUnconfined(), patterns: ['forbidden-word'] });
  expect(
    createSessionTools({ workspace: folder.path, safety }).definitions.map((tool) => tool.function.name),
  ).toEqual(['run_command', 'read_file', 'write_file', 'edit_file']);
  const context = { signal: new AbortController().signal };
  const shell = (command: string) =>
    dispatchToolCall({ name: 'run_command', arguments: { command } }, safety, folder.path, context);
  expect(await shell('rm -rf /')).toMatchObject({ success: false });
  expect(await shell('echo forbidden-word')).toMatchObject({
    success: false,
    output: { error: expect.stringContaining('Refused') },
  });
  expect(await shell('echo fine')).toMatchObject({ success: true });
  const edit = { path: '../outside', edits: [{ old_text: 'a', new_text: 'b' }] };
  for (const call of [read('../outside'), write('../outside', 'x'), { name: 'edit_file', arguments: edit }]) {
    expect(await dispatchToolCall(call, safety, folder.path, context)).toMatchObject({ success: false });
  }
  expect(() => createSafetyLayer({ sandbox: openUnconfined(), patterns: ['('] })).toThrow(SyntaxError);
});

it('retries only an empty reply and keeps text that was shown', async () => {
  await using run = await play(
    { ...session, num_predict: [5, 50] },
    [
      says('A text that is longer than five tokens.'),
      {
        attempts: [
          { reply: { content: '', done_reason: 'length', eval_count: 5 } },
          { reply: { content: 'Ok.' } },
        ],
      },
    ],
    stopAfter(2),
  );
  expect(run.of('policy.retried').map(({ cause }) => cause)).toEqual(['length']);
  expect(run.of('policy.warned')[0]).toMatchObject({ code: 'reply_cut' });
  expect(run.sent(1)[2]?.content.length).toBeGreaterThan(0);
  expect(
    run
      .of('turn.ended')
      .slice(0, 2)
      .map(({ outcome }) => outcome),
  ).toEqual(['text', 'text']);
});
