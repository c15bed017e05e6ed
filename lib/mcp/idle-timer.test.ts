import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IdleTimer } from './idle-timer.ts';

const IDLE_MS = 1000;
let idle: number;
let timer: IdleTimer;
beforeEach(() => {
  vi.useFakeTimers();
  idle = 0;
  timer = new IdleTimer(IDLE_MS, () => {
    idle += 1;
  });
});
afterEach(() => void vi.useRealTimers());

/** A use that lasts until the test ends it. */
function use() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = timer.during(() => promise);
  return async () => {
    resolve();
    await over;
  };
}

it('counts from the end of a use, however long it took', async () => {
  const end = use();
  vi.advanceTimersByTime(5 * IDLE_MS);
  await end();
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(idle).toBe(0);
  vi.advanceTimersByTime(1);
  expect(idle).toBe(1);
});

it('counts from the end of the last of several uses', async () => {
  const [endFirst, endSecond] = [use(), use()];
  await endFirst();
  vi.advanceTimersByTime(5 * IDLE_MS);
  expect(idle).toBe(0);
  await endSecond();
  vi.advanceTimersByTime(IDLE_MS);
  expect(idle).toBe(1);
});

it('counts from the start again after a further use, also one that fails', async () => {
  await use()();
  vi.advanceTimersByTime(IDLE_MS - 1);
  await expect(timer.during(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(idle).toBe(0);
  vi.advanceTimersByTime(1);
  expect(idle).toBe(1);
});

it('reports nothing after it was stopped, also during a use', async () => {
  const end = use();
  timer.stop();
  await end();
  vi.advanceTimersByTime(IDLE_MS);
  expect(idle).toBe(0);
});
