import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { summarizeRun } from './summarize-run.ts';

const HOUR_MS = 3_600_000;
const summary = ({ events }: SampleLog) =>
  summarizeRun(foldAll(emptyRunState(events[0]?.run_id ?? ''), events));

it('counts the duration of a run without the queue and without waits for a person', () => {
  const log = new SampleLog({ config: { mode: 'session', autopilot: false } });
  expect(summary(log).worked_ms).toBeUndefined();
  log.push({ type: 'run.started', worker: 'w', epoch: 1 }, HOUR_MS);
  expect(summary(log).worked_ms).toBe(0);
  log.push({ type: 'message.awaited', iteration: 1, cause: 'text' }, 2500);
  log.push({ type: 'operator.messaged', message_id: 'm1', text: 'Go on.' }, HOUR_MS);
  expect(summary(log)).toMatchObject({ phase: 'between', worked_ms: 2500 });
  log.push({ type: 'run.resumed', worker: 'w', epoch: 2, after_wait: true }, 9000);
  log.push({ type: 'policy.warned', code: 'x', message: 'A second later.' }, 1000);
  expect(summary(log).worked_ms).toBe(3500);
});
