import { expect, it } from 'vitest';
import { isLetGo, keepAliveMs } from './let-go.ts';

/** 2^63 - 1 nanoseconds. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;

it.each([
  [5, 5000],
  ['30m', 1_800_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['20', 20_000],
  [-1, FOR_EVER_MS],
  ['-1m', FOR_EVER_MS],
  ['soon', undefined],
])('reads %j as %j ms', (keepAlive, ms) => {
  expect(keepAliveMs(keepAlive)).toBe(ms);
});

const at = (ms: number) => ({ expiresAt: new Date(ms).toISOString() });

it('None of them has 7: a request that is over has set the time to stay anew, and it stands still', () => {
  const now = () => 1_000_000;
  expect(isLetGo(at(1_299_500), at(1_299_500), '5m', now)).toBe(true);
  // It moves with each question: the first request of the model is still at work.
  expect(isLetGo(at(1_299_940), at(1_300_000), '5m', now)).toBe(false);
  // It is from the request before: the present one is still at work.
  expect(isLetGo(at(1_200_000), at(1_200_000), '5m', now)).toBe(false);
  expect(isLetGo({}, {}, '5m', now)).toBe(false);
  expect(isLetGo(at(FOR_EVER_MS + 999_000), at(FOR_EVER_MS + 999_000), -1, now)).toBe(true);
  expect(isLetGo(at(FOR_EVER_MS + 900_000), at(FOR_EVER_MS + 900_000), -1, now)).toBe(false);
});
