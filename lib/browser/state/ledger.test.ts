import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { workedMs } from '../../events/worked-ms.ts';
import { inScope } from '../../sharing/redaction/scope.ts';
import { completedLog, endedLog, repairedLog, SampleLog, verifiedLog } from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../../testing/sample-modes.ts';
import { formatClock, formatDuration } from '../words/format.ts';
import { firedLimit, ledgerOf } from './ledger.ts';

const gauges = (log: Pick<SampleLog, 'runId' | 'events'>, now = 0) =>
  Object.fromEntries(
    ledgerOf(foldAll(emptyRunState(log.runId), log.events), now).map((gauge) => [gauge.id, gauge]),
  );

it('shows three identical rounds as 3/3, the refused one included [G6]', () => {
  expect(gauges(endedLog('repetition')).repetition).toMatchObject({ used: 3, limit: 3, tone: 'reached' });
});

it('shows a pattern of calls that no guard ends, and not as one that will', () => {
  const log = new SampleLog({ config: { max_iterations: 20 } }).prepare();
  const call = (path: string) => ({ name: 'read_file', arguments: { path }, result: { output: path } });
  for (let pass = 1; pass <= 3; pass += 1) {
    log.round({ calls: [call('a.md')] }).round({ calls: [call('b.md')] });
  }
  expect(gauges(log).repetition).toMatchObject({
    value: '1/3',
    tone: 'near',
    detail: 'The last 6 iterations with calls repeat the same 2: read_file, read_file.',
    outcome: 'this pattern does not end the run: send a message, or stop it',
  });
  log.round({ calls: [call('c.md')] });
  expect(gauges(log).repetition).toMatchObject({ value: '1/3', tone: 'calm' });
});

it('counts the rounds since a file was written [G10]', () => {
  expect(gauges(endedLog('stall')).stall).toMatchObject({ value: '5/5', tone: 'reached' });
});

it('shows iterations and nudges against their limits [G5, G14]', () => {
  expect(gauges(endedLog('max_iterations')).iterations).toMatchObject({ value: '10/10', tone: 'reached' });
  expect(gauges(endedLog('nudge_exhausted')).nudges).toMatchObject({ value: '2/2', tone: 'reached' });
  const { runId, events } = repairedLog();
  expect(gauges({ runId, events: events.slice(0, -1) }).nudges).toMatchObject({ value: '1/2', tone: 'near' });
});

it('makes no forecast for a run that has ended for another reason', () => {
  const { nudges } = gauges(repairedLog());
  expect(nudges).toMatchObject({ value: '1/2', tone: 'calm' });
  expect(nudges).not.toHaveProperty('outcome');
});

it('marks on the window where older results are shortened [C2]', () => {
  expect(gauges(completedLog()).context).toMatchObject({ limit: 32_768, mark: 0.75, tone: 'calm' });
});

it('shows budgets only when they are set [V2]', () => {
  expect(gauges(completedLog()).tokens).toBeUndefined();
  expect(gauges(verifiedLog()).tokens).toMatchObject({ limit: 60_000 });
});

it('shows a time budget as a time that is read at a glance [V2]', () => {
  const log = completedLog({ config: { budget: { max_seconds: 3600 } } });
  expect(gauges(log).seconds?.detail).toMatch(/ of 1:00:00$/);
});

it('shows the time used of a budget as the header shows the duration, and the budget as it was set [V2]', () => {
  const { runId, events } = completedLog({ config: { budget: { max_seconds: 1.5 } } });
  const run = foldAll(emptyRunState(runId), events);
  const ms = workedMs(run, run.updatedAt);
  expect(gauges({ runId, events }).seconds?.detail).toBe(`${formatDuration(ms)} of 1.5 s`);
  const open = foldAll(emptyRunState(runId), events.slice(0, -1));
  const clock = formatClock(workedMs(open, run.updatedAt));
  expect(ledgerOf(open, run.updatedAt).find(({ id }) => id === 'seconds')?.detail).toBe(`${clock} of 1.5 s`);
});

it('omits the stall guard when it is off [K-12]', () => {
  expect(gauges(completedLog({ config: { stall_guard: false } })).stall).toBeUndefined();
});

it('sessions and explorations show what bounds them, and no limit of iterations [S17, X22]', () => {
  expect(Object.keys(gauges(sessionLog()))).toEqual(['conversation', 'empty', 'context']);
  const cycles = gauges(exploreLog(4));
  expect(Object.keys(cycles)).toEqual(['cycles', 'calls-per-cycle', 'conversation', 'context']);
  expect(cycles.cycles).toMatchObject({ used: 4, limit: 4 });
});

it('counts empty replies only where they end the run [S18, K-24]', () => {
  const session = sessionLog();
  expect(gauges(session).empty).toBeDefined();
  session.push({ type: 'autopilot.switched', on: false });
  expect(gauges(session).empty).toBeUndefined();
  for (const [max_cycles, limit] of [
    [null, 3],
    [5, undefined],
  ] as const) {
    const explore = { context_limit: 32_768, calls_per_cycle: 50, cycle_line: true, max_cycles };
    const log = new SampleLog({ config: { mode: 'explore', explore } });
    log.prepare().push({ type: 'cycle.started', cycle: 1 }).iteration().callStarts().reply({});
    log.push({ type: 'cycle.reflected', cycle: 1, text: '', ended_by: 'reflection' });
    expect(gauges(log).empty?.limit).toBe(limit);
  }
});

it.each([
  ['repetition', 'repetition'],
  ['stall', 'stall'],
  ['max_iterations', 'iterations'],
  ['nudge_exhausted', 'nudges'],
  ['context_full', 'context'],
  ['stopped', undefined],
] as const)('%s names the counter that fired, and the events that fed it', (reason, id) => {
  const log = endedLog(reason);
  const fired = firedLimit(foldAll(emptyRunState(log.runId), log.events));
  expect(fired?.id).toBe(id);
  for (const seq of fired?.events ?? []) expect(log.events[seq - 1]).toBeDefined();
});

it('a window that ended a run is full, whatever its last request had [C7]', () => {
  expect(gauges(endedLog('context_full')).context).toMatchObject({
    value: 'full',
    tone: 'reached',
    fired: true,
    detail: expect.stringContaining('the next request did not fit'),
  });
  expect(gauges(endedLog('stall')).context).toMatchObject({ tone: 'calm' });
});

it('the three identical calls are the events of the counter [G6]', () => {
  const log = endedLog('repetition');
  const events = gauges(log).repetition?.events ?? [];
  expect(events).toHaveLength(3);
  expect(events.map((seq) => log.events[seq - 1]?.type)).toEqual(Array(3).fill('reply.parsed'));
});

it('the three identical calls remain the events after the work was checked [V9]', () => {
  const log = endedLog('repetition');
  const end = log.events.pop();
  if (end?.type !== 'run.ended') throw new Error('not ended');
  const checked = { check: { type: 'file_exists' as const, path: 'a' }, passed: false, output: '' };
  log.push({ type: 'verification.started', attempt: 1, reason: 'repetition', output: '' });
  log.push({
    ...{ type: 'verification.checked', attempt: 1, outcome: 'fail' },
    checks: [{ ...checked, duration_ms: 1 }],
  });
  log.push(end);
  const { repetition } = gauges(log);
  expect(repetition).toMatchObject({ used: 3, limit: 3, fired: true });
  expect(repetition?.events).toEqual(gauges(endedLog('repetition')).repetition?.events);
});

it('counts retries against their limit', () => {
  const log = repairedLog();
  const before = gauges(log);
  expect(before.retries).toMatchObject({ value: '0/9', tone: 'calm' });
  log.push({ type: 'policy.retried', iteration: 1, cause: 'transient', message: 'Busy.', wait_ms: 2000 });
  expect(gauges(log)['retries-transient']).toMatchObject({ used: 1, limit: 2, value: '1/2' });
  expect(gauges(log).retries).toBeUndefined();
  for (let again = 0; again < 3; again += 1) {
    log.push({ type: 'policy.retried', iteration: 1, cause: 'overflow', message: 'Too long.', wait_ms: 0 });
  }
  expect(gauges(log)['retries-overflow']).toMatchObject({ value: '3/3', tone: 'reached' });
});

it('counts retries of sessions and explorations, too', () => {
  for (const log of [sessionLog(), exploreLog(2, { open: true })]) {
    log.push({ type: 'policy.retried', iteration: 1, cause: 'transient', message: 'Busy.', wait_ms: 2000 });
    expect(gauges(log)['retries-transient']).toMatchObject({ value: '1/2' });
  }
});

it('does not estimate a conversation by the placeholders of a share', () => {
  const { runId, events } = sessionLog();
  const before = events.findIndex(({ type }) => type === 'model-call.ended');
  const seen = events.map((event) => inScope(event, 'summary'));
  expect(gauges({ runId, events: events.slice(0, before) })).toHaveProperty('conversation');
  expect(gauges({ runId, events: seen.slice(0, before) })).not.toHaveProperty('conversation');
  expect(gauges({ runId, events: seen })).toHaveProperty('conversation');
});
