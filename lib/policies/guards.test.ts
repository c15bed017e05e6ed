import { expect, it } from 'vitest';
import { RETRY_LIMITS } from '../events/retry-limits.ts';
import { terminationReason } from '../events/run.ts';
import { spentLimit } from './budget.ts';
import { RETRY_WAITS_MS, RETRY_WINDOW_MS, retryWait } from './retry.ts';
import { STATUS_OF } from './termination.ts';
import { verificationOutcome } from './verification.ts';

it('V1, V2: names the limit that is spent; used up counts as spent', () => {
  const spending = { tokens: 1000, costUsd: 0.5, seconds: 60 };
  expect(spentLimit({}, spending)).toBeUndefined();
  expect(spentLimit({ max_tokens_total: 1001 }, spending)).toBeUndefined();
  expect(spentLimit({ max_tokens_total: 1000 }, spending)).toBe('tokens');
  expect(spentLimit({ max_cost_usd: 0.5 }, spending)).toBe('cost');
  expect(spentLimit({ max_seconds: 60 }, spending)).toBe('seconds');
  expect(spentLimit({ max_seconds: 61, max_tokens_total: 5000, max_cost_usd: 1 }, spending)).toBeUndefined();
});

it('tries three times within 60 s', () => {
  expect(RETRY_WAITS_MS).toHaveLength(RETRY_LIMITS.transient);
  expect(retryWait({ retries: 0, since: undefined, now: 0 })).toBe(2000);
  expect(retryWait({ retries: 1, since: 0, now: 3000 })).toBe(8000);
  expect(retryWait({ retries: 2, since: 0, now: 12_000 })).toBeUndefined();
  expect(retryWait({ retries: 1, since: 0, now: RETRY_WINDOW_MS - 8000 })).toBe(8000);
  expect(retryWait({ retries: 1, since: 0, now: RETRY_WINDOW_MS - 7999 })).toBeUndefined();
});

it.each([
  [[true, true], 'final_answer', 'pass'],
  [[true, false], 'final_answer', 'partial_pass'],
  [[false, false], 'final_answer', 'fail'],
  [[true], 'timeout', 'partial_pass'],
  [[true, false], 'max_iterations', 'partial_pass'],
  [[false], 'stall', 'fail'],
] as const)('V8: %j after %s is %s', (passed, reason, outcome) => {
  expect(
    verificationOutcome(
      passed.map((value) => ({ passed: value })),
      reason,
    ),
  ).toBe(outcome);
});

it('T19: every reason has its status', () => {
  expect(Object.keys(STATUS_OF).sort()).toEqual([...terminationReason.options].sort());
  const partial = Object.entries(STATUS_OF).filter(([, status]) => status === 'partial');
  expect(partial).toHaveLength(7);
  expect(STATUS_OF).toMatchObject({ final_answer: 'completed', stopped: 'cancelled', error: 'failed' });
});
