import { expect, it } from 'vitest';
import { SampleLog } from '../testing/sample-logs.ts';
import { foldAll, foldRun } from './fold-run.ts';
import { emptyRunState } from './run-state.ts';
import { workedMs } from './worked-ms.ts';

const begun = () => new SampleLog({ runId: 'r' }).prepare();
const fold = (log: SampleLog) => foldAll(emptyRunState('r'), log.events);

it('rejects an event that is not the next one [E9]', () => {
  const log = begun();
  const [first, second, third] = log.events;
  if (!first || !second || !third) throw new Error('too short');
  const state = foldRun(emptyRunState('r'), first);
  expect(() => foldRun(state, third)).toThrow(RangeError);
  expect(() => foldRun(state, first)).toThrow(RangeError);
  expect(foldRun(state, second).seq).toBe(2);
});

it('counts the time without a worker, and checks the model again', () => {
  const log = begun();
  expect(fold(log).loaded).toBeDefined();
  log.push({ type: 'run.resumed', worker: 'web-2', epoch: 2 }, 60_000);
  expect(fold(log)).toMatchObject({ lostMs: 60_000, resumes: 1, loaded: undefined, epoch: 2 });
});

it('limits the effect of a clock set forward to one iteration', () => {
  const day = 86_400_000;
  const log = begun();
  const { startedAt = 0 } = fold(log);
  const used = { tokens_used: 0, cost_usd: 0 };
  log.push({ type: 'policy.warned', code: 'x', message: 'The clock is set forward a day.' }, day);
  log.push({ type: 'budget.checked', iteration: 1, seconds_used: 5, ...used });
  const checkedAt = fold(log).updatedAt;
  log.push({ type: 'policy.warned', code: 'x', message: 'Two seconds later the server is lost.' }, 2000);
  expect(workedMs(fold(log), fold(log).updatedAt)).toBe(5000 + fold(log).updatedAt - checkedAt);
  const before = workedMs(fold(log), fold(log).updatedAt);
  log.push({ type: 'run.resumed', worker: 'web-2', epoch: 2 }, 60_000);
  const state = fold(log);
  expect(state.updatedAt - startedAt).toBeGreaterThan(day);
  expect(workedMs(state, state.updatedAt)).toBe(before);
  // The check of the previous worker does not apply to this one.
  expect(workedMs(state, state.updatedAt + 1000)).toBe(before + 1000);
});

it('counts a wait for approval neither as work nor as lost, also across a restart', () => {
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: '' } };
  const log = begun();
  log.push({ type: 'budget.checked', iteration: 1, tokens_used: 0, seconds_used: 2 });
  log
    .iteration()
    .callStarts()
    .reply({ calls: [write] })
    .ask(write);
  const asked = fold(log);
  expect(asked.waitingSince).toBe(asked.updatedAt);
  const worked = workedMs(asked, asked.updatedAt);
  expect(workedMs(asked, asked.updatedAt + 3_600_000)).toBe(worked);
  log.push({ type: 'run.resumed', worker: 'web-2', epoch: 2 }, 60_000);
  expect(workedMs(fold(log), fold(log).updatedAt + 1000)).toBe(worked);
  log.decide(write, { decision: 'approved' }, 40_000);
  const decided = fold(log);
  expect(decided).toMatchObject({ phase: 'executing', waitedMs: 100_000, waitingSince: undefined });
  expect(workedMs(decided, decided.updatedAt)).toBe(worked);
  expect(workedMs(decided, decided.updatedAt + 1000)).toBe(worked + 1000);
});

it('continues to wait while a later call of the reply is decided', () => {
  const tell = { name: 'send_message_to_operator', arguments: { message: 'Hello?' } };
  const list = { name: 'list', arguments: {} };
  const later = { call_id: 'c2', tool: 'list' };
  const asked = () => {
    const log = begun().iteration().callStarts();
    log.reply({ calls: [tell, list] }).ask(tell);
    log.push({ type: 'approval.requested', ...later, iteration: 1, arguments: {} });
    return log.decide(tell, { decision: 'approved' });
  };
  const decided = { type: 'approval.decided', ...later, decision: 'approved', by: 'operator' } as const;
  const place = { request_id: 'q1', call_id: 'c1' };

  const called = asked().toolStarts(tell);
  called.push({
    type: 'mcp-request.received',
    ...place,
    server: 's',
    request: { kind: 'form', message: 'Who?', fields: [] },
  });
  const { waitingSince } = fold(called);
  expect(fold(called.push(decided, 60_000))).toMatchObject({ phase: 'awaiting-approval', waitingSince });
  called.push({ type: 'mcp-request.answered', ...place, action: 'decline', by: 'operator' });
  expect(fold(called)).toMatchObject({ phase: 'executing', waitingSince: undefined });

  const waiting = asked();
  waiting.push({ type: 'message.awaited', iteration: 1, cause: 'agent_message', call_id: 'c1' });
  expect(fold(waiting.push(decided)).phase).toBe('awaiting-message');
});

it('starts the time for retries at the first transient failure, not at a reply that Ollama could not read', () => {
  const error = { code: 'x', message: 'x' };
  const log = begun().iteration().callStarts().callFails({ kind: 'malformed_call', transient: false, error });
  expect(fold(log).transientSince).toBeUndefined();
  log.push({ type: 'policy.retried', iteration: 1, cause: 'malformed', message: 'x', wait_ms: 0 });
  log.callStarts().callFails({ kind: 'cut_off', transient: true, error }, 90_000);
  expect(fold(log).transientSince).toBe(fold(log).updatedAt);
  const first = fold(log).transientSince;
  log.push({ type: 'policy.retried', iteration: 1, cause: 'transient', message: 'x', wait_ms: 2000 });
  log.callStarts().callFails({ kind: 'cut_off', transient: true, error }, 5000);
  expect(fold(log).transientSince).toBe(first);
});

it('adds up time by activity, and the generation speed if reported', () => {
  const log = begun();
  const reply = { message: { role: 'assistant', content: 'A plan.' } };
  const request = { iteration: 1, message_count: 2, tool_count: 0, options: {}, think: false, stream: true };
  const ask = (call: number) =>
    log.push({ type: 'model-call.started', call, estimated_tokens: 100, ...request });
  log.push({ type: 'iteration.started', attempt: 1, iteration: 1 });
  ask(1);
  const timings = { loadMs: 3000, promptEvalMs: 200, evalMs: 800 };
  log.push({ type: 'model-call.ended', call: 1, reply_tokens: 40, duration_ms: 4100, timings, ...reply });
  const longest = fold(log).seq;
  ask(2);
  log.push({ type: 'model-call.ended', call: 2, duration_ms: 900, timings: { evalMs: 800 }, ...reply });
  ask(3);
  const error = { code: 'timeout', message: 'No answer.' };
  log.push({ type: 'model-call.failed', call: 3, kind: 'timeout', duration_ms: 1000, error });
  expect(fold(log)).toMatchObject({
    spent: { modelMs: 6000, toolMs: 0, writingMs: 800, writtenTokens: 40 },
    longestCall: { call: 1, seq: longest, ms: 4100 },
  });
});

it('never modifies a state in place', () => {
  const log = begun();
  let state = emptyRunState('r');
  for (const event of log.events) {
    const before = structuredClone(state);
    const next = foldRun(state, event);
    expect(state).toEqual(before);
    state = next;
  }
});

it('a new attempt resets the guards and keeps the totals (V10) [G14]', () => {
  const log = begun();
  log.push({ type: 'iteration.started', attempt: 1, iteration: 1 });
  log.push({ type: 'policy.nudged', iteration: 1, cause: 'empty', text: 'Act.', count: 1, limit: 2 });
  expect(fold(log)).toMatchObject({ nudges: 1, awaitingReply: false, iterationsUsed: 1 });
  log.attempt();
  expect(fold(log)).toMatchObject({ attempt: 2, nudges: 0, nudgeSeqs: [], iteration: 0, iterationsUsed: 1 });
});
