import { afterEach, expect, it } from 'vitest';
import type { RunEvent } from '../events/registry.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import { openTestService, scripted, type TestService, warned } from '../testing/test-service.ts';

let test: TestService | undefined;
afterEach(() => test?.dispose());

/** Records the events it gets. Its writes finish only after `release`. */
function heldObserver() {
  const written: RunEvent[] = [];
  const removed: string[] = [];
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const observer: AppendObserver = {
    async write(_runId, events) {
      written.push(...events);
      await released;
    },
    async remove(runId) {
      removed.push(runId);
    },
  };
  return { observer, written, removed, release: () => release() };
}

it('finishes an append only after its observers', async () => {
  const { observer, written, release } = heldObserver();
  const order: string[] = [];
  test = await openTestService(
    async ({ log }) => {
      log.append([warned('first')]);
      await log.durable();
      order.push('appended');
      return { outcome: 'suspended' };
    },
    { observers: [observer] },
  );
  await test.start();
  await expect.poll(() => written.map(({ type }) => type)).toEqual(['run.started', 'policy.warned']);
  order.push('released');
  release();
  await expect.poll(() => order).toEqual(['released', 'appended']);
  expect(written.map(({ type }) => type)).toEqual(['run.started', 'policy.warned']);
});

it('gives every observer the events of a run and its deletion', async () => {
  const observers = [heldObserver(), heldObserver()];
  for (const { release } of observers) release();
  test = await openTestService(scripted([warned('first')]), {
    observers: observers.map(({ observer }) => observer),
  });
  const runId = await test.start();
  await test.service.ended(runId, AbortSignal.timeout(20_000));
  await test.service.delete(runId);
  for (const { written, removed } of observers) {
    expect(written.map(({ type }) => type)).toEqual(['run.started', 'policy.warned', 'run.ended']);
    expect(removed).toEqual([runId]);
  }
});
