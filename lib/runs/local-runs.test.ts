import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { emptyRunState } from '../events/run-state.ts';
import { RunChanges } from '../feed/run-changes.ts';
import { LocalRuns } from './local-runs.ts';
import { StoredRunLog } from './stored-run-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A log that a process works on; nothing is read or appended. */
function heldLog(runs: LocalRuns): StoredRunLog {
  const unused = () => Promise.reject(new Error('Not needed in this test'));
  const log = new StoredRunLog({
    store: { read: unused, append: unused },
    state: emptyRunState('run'),
    epoch: 1,
    onChange: () => undefined,
  });
  runs.hold(log);
  return log;
}

it('keeps the log of a finished run for a while', () => {
  const runs = new LocalRuns(new RunChanges());
  const log = heldLog(runs);
  runs.finish(log);
  runs.keepForAWhile(log);
  expect(runs.get('run')).toBe(log);
  vi.advanceTimersByTime(60_000);
  expect(runs.get('run')).toBeUndefined();
});

it('has no timer that keeps a released log in memory', () => {
  const runs = new LocalRuns(new RunChanges());
  const log = heldLog(runs);
  runs.release(log);
  runs.keepForAWhile(log);
  expect(vi.getTimerCount()).toBe(0);
  const next = heldLog(runs);
  runs.keepForAWhile(log);
  vi.advanceTimersByTime(60_000);
  expect(runs.get('run')).toBe(next);
});
