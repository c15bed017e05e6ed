import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { RETRY_LIMITS } from '../events/retry-limits.ts';
import { emptyRunState } from '../events/run-state.ts';
import { outcomeKind } from '../events/termination.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { spentLimit } from './budget.ts';
import { afterFailedPreparation } from './failure.ts';
import { RETRY_WAITS_MS, RETRY_WINDOW_MS, retryWait } from './retry.ts';
import { isReady } from './rule.ts';
import { STATUS_OF } from './termination.ts';
import { outcomeOfChecks } from './verification.ts';

it('names the limit that is reached, including one that is exactly used up [V1, V2]', () => {
  const spending = { tokens: 1000, costUsd: 0.5, seconds: 60 };
  expect(spentLimit({}, spending)).toBeUndefined();
  expect(spentLimit({ max_tokens_total: 1001 }, spending)).toBeUndefined();
  expect(spentLimit({ max_tokens_total: 1000 }, spending)).toBe('tokens');
  expect(spentLimit({ max_cost_usd: 0.5 }, spending)).toBe('cost');
  expect(spentLimit({ max_seconds: 60 }, spending)).toBe('seconds');
  expect(spentLimit({ max_cost_usd: 0.5 }, { ...spending, costUsd: undefined })).toBeUndefined();
  expect(spentLimit({ max_seconds: 61, max_tokens_total: 5000, max_cost_usd: 1 }, spending)).toBeUndefined();
});

it('makes at most three attempts within 60 s', () => {
  expect(RETRY_WAITS_MS).toHaveLength(RETRY_LIMITS.transient);
  expect(retryWait({ retries: 0, since: undefined, now: 0 })).toBe(2000);
  expect(retryWait({ retries: 1, since: 0, now: 3000 })).toBe(8000);
  expect(retryWait({ retries: 2, since: 0, now: 12_000 })).toBeUndefined();
  expect(retryWait({ retries: 1, since: 0, now: RETRY_WINDOW_MS - 8000 })).toBe(8000);
  expect(retryWait({ retries: 1, since: 0, now: RETRY_WINDOW_MS - 7999 })).toBeUndefined();
});

it('counts a failed load after a reply as the first of its series', () => {
  const log = new SampleLog().prepare().iteration();
  const error = { code: 'x', message: 'Busy.' };
  const failure = { kind: 'busy' as const, transient: true, ...error };
  const cause = { type: 'policy.retried', iteration: 1, cause: 'transient', message: 'Busy.' } as const;
  for (const wait_ms of RETRY_WAITS_MS) {
    log
      .callStarts()
      .callFails({ kind: 'busy', transient: true, error })
      .push({ ...cause, wait_ms });
  }
  const now = () => {
    const state = foldAll(emptyRunState(log.runId), log.events);
    if (!isReady(state)) throw new Error('no configuration');
    return afterFailedPreparation(state, failure, state.updatedAt);
  };
  expect(now().type).toBe('end');
  log.callStarts().reply({ text: 'Here I am.' });
  for (const wait_ms of RETRY_WAITS_MS) {
    expect(now()).toMatchObject({ type: 'append', waitMs: wait_ms });
    log.push({ ...cause, wait_ms });
  }
  expect(now().type).toBe('end');
});

it.each([
  [[true, true], 'final_answer', 'pass'],
  [[true, false], 'final_answer', 'partial_pass'],
  [[false, false], 'final_answer', 'fail'],
  [[true], 'timeout', 'partial_pass'],
  [[true, false], 'max_iterations', 'partial_pass'],
  [[false], 'stall', 'fail'],
] as const)('%j after %s is %s [V8]', (passed, reason, outcome) => {
  expect(
    outcomeOfChecks(
      passed.map((value) => ({ passed: value })),
      { reason, cut: false },
    ),
  ).toBe(outcome);
});

it('passing checks with a truncated answer are a partial pass [V8]', () => {
  expect(outcomeOfChecks([{ passed: true }], { reason: 'final_answer', cut: true })).toBe('partial_pass');
});

it('every outcome has a status [T19]', () => {
  expect(Object.keys(STATUS_OF).sort()).toEqual([...outcomeKind.options].sort());
  const partial = Object.entries(STATUS_OF).filter(([, status]) => status === 'partial');
  expect(partial).toHaveLength(10);
  expect(STATUS_OF).toMatchObject({
    ...{ answered: 'completed', answered_checks_failed: 'completed', cycles_done: 'completed' },
    ...{ answered_cut_off: 'partial', announced_work_did_none: 'partial' },
    ...{ stopped: 'cancelled', error: 'failed' },
  });
});
