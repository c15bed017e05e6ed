import { expect, it, vi } from 'vitest';
import { RecentStays } from './expected-wait.ts';
import { HostQueue } from './host-queue.ts';

it('admits up to the limit, and the rest in arrival order', async () => {
  const queue = new HostQueue({ limit: 1, onMove: () => undefined });
  const entered: string[] = [];
  const enter = async (runId: string) => {
    const release = await queue.enter(runId);
    entered.push(runId);
    return release;
  };
  const first = enter('a');
  const second = enter('b');
  const third = enter('c');
  const releaseA = await first;
  expect(entered).toEqual(['a']);
  expect([queue.position('a'), queue.position('b'), queue.position('c')]).toEqual([undefined, 1, 2]);
  expect(queue.ahead('c')).toEqual(['a', 'b']);
  releaseA();
  releaseA();
  const releaseB = await second;
  expect(entered).toEqual(['a', 'b']);
  expect(queue.inside).toHaveLength(1);
  releaseB();
  (await third)();
  expect(queue.inside).toHaveLength(0);
});

it('a stopped run leaves the queue without taking a slot [D12]', async () => {
  let moves = 0;
  const queue = new HostQueue({ limit: 1, onMove: () => moves++ });
  const releaseA = await queue.enter('a');
  const b = queue.enter('b');
  const c = queue.enter('c');
  const before = moves;
  queue.leave('b');
  (await b)();
  expect(moves).toBe(before + 1);
  expect(queue.position('c')).toBe(1);
  expect(queue.inside).toHaveLength(1);
  releaseA();
  (await c)();
});

it('a returning run goes to the head of the queue, and each slot granted is counted', async () => {
  const queue = new HostQueue({ limit: 1, onMove: () => undefined });
  const releaseA = await queue.enter('a');
  const b = queue.enter('b');
  const again = queue.enter('c', { again: true });
  expect([queue.position('c'), queue.position('b')]).toEqual([1, 2]);
  releaseA();
  (await again)();
  (await b)();
  expect(queue.entries).toBe(3);
});

it('keeps a slot free for a run until it enters or gives it back', async () => {
  const queue = new HostQueue({ limit: 1, onMove: () => undefined });
  expect(queue.reserve('a')).toBeDefined();
  expect(queue.reserve('b')).toBeUndefined();
  const check = queue.enter('check');
  expect([queue.inside, queue.waiting]).toEqual([[], ['check']]);
  const release = await queue.enter('a');
  expect([queue.inside, queue.waiting]).toEqual([['a'], ['check']]);
  release();
  (await check)();
  const giveBack = queue.reserve('b');
  const second = queue.enter('second check');
  giveBack?.();
  giveBack?.();
  await second;
  expect(queue.inside).toEqual(['second check']);
  expect(queue.reserve('b')).toBeUndefined();
});

it('estimates the wait from recent stays of the same kind', async () => {
  let now = 0;
  const queue = new HostQueue({ limit: 1, onMove: () => undefined, clock: () => now });
  for (const ms of [10_000, 60_000, 40_000]) {
    const release = await queue.enter('before', { kind: 'task small' });
    now += ms;
    release();
    release();
  }
  await queue.enter('a', { kind: 'task small' });
  now += 10_000;
  void queue.enter('b', { kind: 'task small' });
  void queue.enter('c');
  void queue.enter('d');
  expect(['a', 'b', 'c', 'd'].map((id) => queue.expectedWaitMs(id))).toEqual([
    undefined,
    40_000,
    80_000,
    undefined,
  ]);
});

it('computes the estimates of a long queue once per change', async () => {
  const lookUp = vi.spyOn(RecentStays.prototype, 'of');
  const queue = new HostQueue({ limit: 1, onMove: () => undefined, clock: () => 0 });
  await queue.enter('inside', { kind: 'task small' });
  const ids = Array.from({ length: 1000 }, (_, index) => `run-${index}`);
  for (const id of ids) void queue.enter(id, { kind: 'task small' });
  lookUp.mockClear();
  for (const id of ids) queue.expectedWaitMs(id);
  expect(lookUp.mock.calls.length).toBeLessThan(10);
  expect(ids.map((id) => queue.position(id))).toEqual(ids.map((_, index) => index + 1));
  queue.leave('run-0');
  expect([queue.position('run-0'), queue.position('run-1')]).toEqual([undefined, 1]);
});
