import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LocalDisk, MAX_SYNC_BYTES, MAX_SYNC_CALLS, SyncBudget } from './sync-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const cost = { calls: 1, bytes: 0, waits: false, changes: false };

it('covers a limited number of calls and bytes, and none that waits for the disk', () => {
  const budget = new SyncBudget(new LocalDisk(1));
  expect(budget.covers({ ...cost, waits: true })).toBe(false);
  expect(budget.covers({ ...cost, bytes: MAX_SYNC_BYTES + 1 })).toBe(false);
  expect(budget.covers({ ...cost, bytes: MAX_SYNC_BYTES })).toBe(true);
  expect(budget.covers({ ...cost, bytes: 1 })).toBe(false);
  expect(budget.covers({ ...cost, calls: MAX_SYNC_CALLS })).toBe(false);
  expect(budget.covers({ ...cost, calls: MAX_SYNC_CALLS - 1 })).toBe(true);
  expect(budget.covers(cost)).toBe(false);
});

it('leaves changes of folders to the thread pool while that waits for the same disk', async () => {
  const disk = new LocalDisk(1);
  const covers = () => new SyncBudget(disk).covers({ ...cost, changes: true });
  expect(covers()).toBe(true);
  const { promise, reject } = Promise.withResolvers<void>();
  const waiting = disk.during(promise);
  expect(covers()).toBe(false);
  expect(new SyncBudget(disk).covers(cost)).toBe(true);
  expect(new SyncBudget(new LocalDisk(2)).covers({ ...cost, changes: true })).toBe(true);
  reject(new Error('The disk failed'));
  await expect(waiting).rejects.toThrow('The disk failed');
  expect(covers()).toBe(true);
});

it('leaves changes of folders to the thread pool after a write that took long, until one is fast again', async () => {
  const disk = new LocalDisk(1);
  const write = async (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = disk.during(promise);
    vi.advanceTimersByTime(ms);
    resolve();
    await waiting;
  };
  const covers = () => new SyncBudget(disk).covers({ ...cost, changes: true });
  await write(5);
  expect(covers()).toBe(true);
  await write(6);
  expect(covers()).toBe(false);
  await write(1);
  expect(covers()).toBe(true);
});

it('ends when an operation reaches another device', () => {
  const budget = new SyncBudget(new LocalDisk(1));
  budget.reached(1);
  expect(budget.covers(cost)).toBe(true);
  budget.reached(2);
  expect(budget.covers(cost)).toBe(false);
});

it('leaves a disk that was slow to the thread pool for a second, and for longer each time it is slow again', () => {
  const disk = new LocalDisk(1);
  disk.tookMs(100);
  expect(disk.budget()).toBeDefined();
  for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 64_000]) {
    disk.tookMs(101);
    vi.advanceTimersByTime(pauseMs - 1);
    expect(disk.budget()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(disk.budget()).toBeDefined();
  }
  vi.advanceTimersByTime(64_000);
  disk.tookMs(101);
  vi.advanceTimersByTime(1000);
  expect(disk.budget()).toBeDefined();
});
