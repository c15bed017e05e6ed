import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../events/registry.ts';
import { calls, type PlayedRun, play, says, silence, stop, until } from '../../testing/loop-harness.ts';
import { type SessionLogEntry, SessionLogProjection, sessionLogEntry } from './session-log.ts';
import { SessionLogger } from './session-logger.ts';

const read = { name: 'read_file', arguments: { path: 'a.md' } };

function linesOf(run: PlayedRun): SessionLogEntry[] {
  const projection = new SessionLogProjection();
  return run.log.events.flatMap((event) => projection.take(event));
}

const stopAfterTurns = (turns: number, force = false) => ({
  during: async ({ log }: { log: Parameters<typeof until>[0] }) => {
    await until(log, (events) => events.filter(({ type }) => type === 'turn.ended').length >= turns);
    log.append([stop(force)]);
  },
});

it('a session is written with the names and fields of its source [S19, S20, N11]', async () => {
  await using run = await play(
    { mode: 'session', autopilot: true },
    [
      { reply: { content: 'I look.', tool_calls: [read] } },
      says('It says Alpha.'),
      { fault: { kind: 'hang' } },
    ],
    { files: { 'a.md': 'Alpha' }, ...stopAfterTurns(2, true) },
  );
  const lines = linesOf(run);
  for (const line of lines) expect(sessionLogEntry.parse(line)).toEqual(line);
  const [start, text, call, result, answer, end, ...rest] = lines;
  expect(rest).toEqual([]);
  expect(start).toMatchObject({
    event: 'session_start',
    model: 'play',
    workspace: run.workspace,
    log_path: '/data/sessions/run.jsonl',
    system_prompt: 'built-in',
  });
  expect(text).toMatchObject({ event: 'assistant_text', text: 'I look.' });
  expect(call).toMatchObject({
    event: 'tool_call',
    fn_name: 'read_file',
    fn_arguments: { path: 'a.md' },
  });
  const id = call?.event === 'tool_call' ? call.call_id : '';
  expect(result).toMatchObject({
    event: 'tool_result',
    call_id: id,
    fn_name: 'read_file',
    result: { success: true, output: { content: 'Alpha' } },
  });
  expect(run.sent(1).at(-1)?.tool_call_id).toBe(id);
  expect(answer).toMatchObject({ event: 'assistant_text', text: 'It says Alpha.' });
  expect(end).toMatchObject({
    event: 'session_end',
    total_turns: 2,
    reason: 'user_shutdown',
    forced: true,
  });
});

it('the words of the person are written when they reach the model [S19]', async () => {
  await using run = await play({ mode: 'session', task: 'Hello.' }, [says('Hi.'), says('Fine.')], {
    during: async ({ log }) => {
      await until(log, (events) => events.some(({ type }) => type === 'message.awaited'));
      log.append([{ type: 'operator.messaged', message_id: 'm1', text: 'How are you?' }]);
      await until(log, (events) => events.filter(({ type }) => type === 'message.awaited').length === 2);
      log.append([{ type: 'operator.messaged', message_id: 'm2', text: 'Unread.' }, stop()]);
    },
  });
  expect(linesOf(run).map((line) => ('text' in line ? `${line.event}: ${line.text}` : line.event))).toEqual([
    'session_start',
    'user_text: Hello.',
    'assistant_text: Hi.',
    'user_text: How are you?',
    'assistant_text: Fine.',
    'session_end',
  ]);
});

it('an error is written, and only completed turns are counted [S15, S21, K-31]', async () => {
  const failing = { kind: 'http' as const, status: 400, body: { error: 'bad template' } };
  await using run = await play({ mode: 'session', autopilot: true }, [
    says('One.'),
    says('Two.'),
    { fault: failing },
  ]);
  expect(linesOf(run).slice(-2)).toMatchObject([
    { event: 'error', message: expect.stringContaining('bad template') },
    { event: 'session_end', total_turns: 2, reason: 'error' },
  ]);
});

it('a handover has a line with the text that begins the fresh context, and the event that has it [S19]', async () => {
  const prefix = 'handed over to this fresh context';
  await using run = await play(
    {
      mode: 'session',
      autopilot: true,
      context_limit: 1000,
      handover_at: 0.8,
      autopilot_turns: 2,
      unattended: true,
    },
    [
      { reply: { content: 'z'.repeat(600), prompt_eval_count: 850 } },
      { reply: { content: 'The garden needs water.', prompt_eval_count: 300 } },
    ],
    {
      fake: {
        models: [{ name: 'play', context_length: 2_000_000 }],
        scenarios: [{ name: 'play', match: prefix, steps: [says('I water it.')] }],
      },
    },
  );
  const lines = linesOf(run);
  for (const line of lines) expect(sessionLogEntry.parse(line)).toEqual(line);
  expect(lines.slice(0, 4).map(({ event }) => event)).toEqual([
    ...['session_start', 'assistant_text', 'handover', 'assistant_text'],
  ]);
  expect(lines.at(-1)).toMatchObject({ event: 'session_end', total_turns: 2 });
  const [ended] = run.of('handover.ended');
  expect(lines[2]).toEqual({
    ...{ event: 'handover', timestamp: new Date(ended?.at ?? 0).toISOString() },
    ...{ outcome: 'done', text: ended?.text, seq: ended?.seq },
  });
  expect(ended?.text).toContain('The garden needs water.');
});

it('an end without a failed call is logged as an error too, and a full context by its own name [S18, S20]', async () => {
  await using empty = await play({ mode: 'session', autopilot: true }, [silence]);
  expect(linesOf(empty).map(({ event }) => event)).toEqual(['session_start', 'error', 'session_end']);
  await using full = await play({ mode: 'session', autopilot: true, context_limit: 1000 }, [
    says('z'.repeat(2000)),
  ]);
  expect(linesOf(full).at(-1)).toMatchObject({ reason: 'context_full' });
});

it('an unattended session that had all its turns ends without an error [S20]', async () => {
  await using run = await play({ mode: 'session', autopilot: true, autopilot_turns: 2, unattended: true }, [
    says('One.'),
    says('Two.'),
  ]);
  const lines = linesOf(run);
  expect(lines.filter(({ event }) => event === 'error')).toEqual([]);
  expect(lines.at(-1)).toMatchObject({
    event: 'session_end',
    total_turns: 2,
    reason: 'final_answer',
    message: 'All 2 turns are done.',
  });
});

it('a spent budget and a timeout have their own reasons [S20]', async () => {
  const budget = { max_tokens_total: 10 };
  await using spent = await play({ mode: 'session', autopilot: true, budget }, [says('One.')]);
  expect(linesOf(spent).map(({ event }) => event)).toEqual([
    'session_start',
    'assistant_text',
    'session_end',
  ]);
  expect(linesOf(spent).at(-1)).toMatchObject({
    reason: 'budget_exceeded',
    message: expect.stringMatching(/^The budget of 10 tokens is spent/),
  });
  expect(spent.notices.at(-1)).toMatch(/^Session ended: budget_exceeded after 1 completed turn\./);

  const slow = { reply: { content: 'Two more words.' }, fault: { kind: 'hang' as const, after_tokens: 2 } };
  await using late = await play({ mode: 'session', autopilot: true, call_timeout_seconds: 1 }, [
    says('One.'),
    slow,
  ]);
  expect(linesOf(late).slice(-3)).toMatchObject([
    { event: 'assistant_text', text: expect.stringMatching(/^Two/), partial: true },
    { event: 'error', message: expect.stringContaining('per-call timeout') },
    { event: 'session_end', reason: 'timeout', total_turns: 1 },
  ]);
  for (const line of linesOf(late)) sessionLogEntry.parse(line);
});

it('empty turns whose calls Ollama dropped are reported with their tokens [S18]', async () => {
  await using run = await play({ mode: 'session', autopilot: true }, [
    { reply: { content: '', eval_count: 27 } },
  ]);
  const message = 'The model wrote 27 tokens, but none arrived: Ollama drops tool calls that it cannot read.';
  expect(run.of('turn.ended')).toMatchObject(Array(3).fill({ outcome: 'empty', swallowed_tokens: 27 }));
  expect(linesOf(run)).toContainEqual(expect.objectContaining({ event: 'error', message }));
  expect(run.end.message).toBe(
    'The model returned neither text nor a call in 3 turns in a row. In them it wrote 162 tokens, but none arrived: Ollama drops tool calls that it cannot read.',
  );
});

it('every result has the line of its call before it, even where the reply held too many calls [S10, S19]', async () => {
  const many = Array.from({ length: 34 }, (_, index) => ({
    name: 'read_file',
    arguments: { path: `${index}.md` },
  }));
  await using run = await play(
    { mode: 'session', autopilot: true },
    [calls(...many), says('Fine.')],
    stopAfterTurns(2),
  );
  const lines = linesOf(run);
  const idsOf = (event: 'tool_call' | 'tool_result') =>
    lines.flatMap((line) => (line.event === event ? [line.call_id] : []));
  expect(idsOf('tool_result')).toHaveLength(34);
  expect(idsOf('tool_call')).toEqual(idsOf('tool_result'));
});

it('a failing check leaves no log [S3]', async () => {
  await using run = await play({ mode: 'session', autopilot: true, model: 'missing' }, [says('One.')]);
  expect(run.log.events.length).toBeGreaterThan(2);
  expect(linesOf(run)).toEqual([]);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-sessions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const written = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

it('the file is written line by line, and mended from the log after a crash [S19, S22, E11]', async () => {
  await using run = await play(
    { mode: 'session', autopilot: true },
    [calls(read), says('Fine.')],
    stopAfterTurns(2),
  );
  const stored: RunEvent[] = [];
  const open = () =>
    new SessionLogger(join(folder, 'sessions'), async (_runId, { afterSeq, limit }) =>
      stored.slice(afterSeq, afterSeq + limit),
    );
  let logger = open();
  const path = logger.pathOf('run');
  const projection = new SessionLogProjection();
  const expected: unknown[] = [];
  for (const event of run.log.events) {
    stored.push(event);
    expected.push(...projection.take(event));
    await logger.write('run', [event], 'session');
    if (expected.length > 0) expect(written(path)).toEqual(expected);
    if (event.type === 'tool-call.started') {
      // The server dies in the middle of a line, and another one continues.
      writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
      logger = open();
    }
  }
  expect(expected.at(-1)).toMatchObject({ event: 'session_end' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a file that cannot be written is reported and disturbs nothing [E12]', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await using run = await play({ mode: 'session', autopilot: true }, [says('Fine.')], stopAfterTurns(1));
  writeFileSync(join(folder, 'sessions'), 'a file where the folder should be');
  const logger = new SessionLogger(join(folder, 'sessions'), async (_runId, { afterSeq, limit }) =>
    run.log.events.slice(afterSeq, afterSeq + limit),
  );
  await logger.write('run', run.log.events, 'session');
  expect(told).toHaveBeenCalledOnce();
  told.mockRestore();
});

it('writes nothing for runs of other modes', async () => {
  await using run = await play({ task: 'Say it.', agentic: false }, [says('It.')]);
  const reads: number[] = [];
  const logger = new SessionLogger(join(folder, 'sessions'), async (_runId, { afterSeq, limit }) => {
    reads.push(afterSeq);
    return run.log.events.slice(afterSeq, afterSeq + limit);
  });
  for (const event of run.log.events) await logger.write('run', [event], 'task');
  expect(() => statSync(join(folder, 'sessions'))).toThrow('ENOENT');
  expect(reads).toEqual([]);
});
