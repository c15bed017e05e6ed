import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { approvalLog, SampleLog } from '../../testing/sample-logs.ts';
import { stoppedSessionLog } from '../../testing/sample-modes.ts';
import { activityOf } from './activity.ts';
import { emptyLive } from './live-text.ts';

const inLine = { ...emptyLive, queue: { position: 1, ahead: ['another'] } };
const stateOf = (log: SampleLog) => foldAll(emptyRunState(log.runId), log.events);

it('shows that an answered run waits for a slot, until its call runs [D12]', () => {
  const log = approvalLog();
  const call = { name: 'run_command', arguments: { command: 'npm test' } };
  expect(activityOf(stateOf(log), inLine).label).toBe('Waiting for you');
  log.decide(call, { decision: 'approved' });
  expect(activityOf(stateOf(log), inLine)).toMatchObject({
    label: 'Waiting in queue',
    detail: 'Next in line',
    expectedAt: undefined,
    clockMs: expect.any(Number),
  });
  const soon = { ...inLine, queue: { ...inLine.queue, expectedAt: 5000 } };
  expect(activityOf(stateOf(log), soon).expectedAt).toBe(5000);
  log.toolStarts(call);
  expect(activityOf(stateOf(log), inLine).label).toBe('Running run_command');
});

it('says to readers of a shared run that it waits for the operator, not for them [D15]', () => {
  const log = new SampleLog({ config: { mode: 'explore' } }).prepare().iteration().callStarts();
  log.reply({ calls: [{ name: 'send_message_to_operator', arguments: { message: 'Hello?' } }] });
  log.push({ type: 'message.awaited', iteration: 1, cause: 'agent_message', call_id: 'c1' });
  expect(activityOf(stateOf(log), emptyLive)).toMatchObject({
    label: 'Waiting for you',
    detail: 'the agent sent you a message',
  });
  expect(activityOf(stateOf(log), emptyLive, 'the operator')).toMatchObject({
    label: 'Waiting for the operator',
    detail: 'the agent sent the operator a message',
  });
});

it('the clock of a run pauses while it waits for the model server', () => {
  const log = new SampleLog().prepare();
  log.push({ type: 'server-wait.started', error: { code: 'c', message: 'Refused.' }, limit_ms: 1000 });
  const state = stateOf(log);
  expect(activityOf(state, emptyLive)).toMatchObject({
    label: 'Waiting for Ollama',
    detail: 'Refused.',
    clockMs: state.updatedAt - (state.startedAt ?? 0),
  });
});

it('shows the pause between two turns as a pause [S16]', () => {
  const log = stoppedSessionLog();
  const lastTurn = log.events.findLastIndex(({ type }) => type === 'turn.ended');
  log.events.splice(lastTurn + 1);
  expect(activityOf(stateOf(log), emptyLive).label).toBe('Between steps');
  log.push({ type: 'turn.paused', iteration: stateOf(log).iteration, wait_ms: 2000 });
  expect(activityOf(stateOf(log), emptyLive).label).toBe('Pausing');
});
