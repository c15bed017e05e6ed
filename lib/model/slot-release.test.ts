import { expect, it } from 'vitest';
import { answerWithinMs, isRequestOver } from './slot-release.ts';

/** 2^63 - 1 nanoseconds. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;

const at = (ms: number) => ({ expiresAt: new Date(ms).toISOString(), serverTimeMs: 1_000_000 });

it('a request that is over has restarted the keep-alive, which then stays the same', () => {
  const about = { keepAlive: '5m', sinceMs: 1000 };
  const forEver = { keepAlive: -1, sinceMs: 1000 };
  expect(isRequestOver(at(1_299_500), at(1_299_500), about)).toBe(true);
  // It moves with each question: the first request of the model is still at work.
  expect(isRequestOver(at(1_299_940), at(1_300_000), about)).toBe(false);
  // It is from the request before: the present one is still at work.
  expect(isRequestOver(at(1_200_000), at(1_200_000), about)).toBe(false);
  expect(isRequestOver(at(1_297_500), at(1_297_500), about)).toBe(false);
  expect(isRequestOver({}, {}, about)).toBe(false);
  expect(isRequestOver(at(FOR_EVER_MS + 999_000), at(FOR_EVER_MS + 999_000), forEver)).toBe(true);
  expect(isRequestOver(at(FOR_EVER_MS + 900_000), at(FOR_EVER_MS + 900_000), forEver)).toBe(false);
});

it('a stay that is longer than ours was set by another client, which may be at work [D7]', () => {
  const about = { keepAlive: '5m', sinceMs: 1000 };
  const day = 1_000_000 + 86_400_000 - 60_000;
  expect(isRequestOver(at(day), at(day), about)).toBe(false);
  expect(isRequestOver(at(FOR_EVER_MS + 900_000), at(FOR_EVER_MS + 900_000), about)).toBe(false);
});

it('a question may take the longer, the larger the window that it does not fit [S14]', () => {
  expect(answerWithinMs(4096)).toBeLessThan(2000);
  // 3.7 µs a token were measured: a large window takes seconds on a busy machine.
  expect(answerWithinMs(1_048_576)).toBeGreaterThan(5 * 3.7e-3 * 1_048_576);
});
