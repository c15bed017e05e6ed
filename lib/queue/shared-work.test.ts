import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { FreeRun, RunLeases, SlotLeases } from '../store/leases.ts';
import { HostSlots } from './host-slots.ts';
import { SharedWork } from './shared-work.ts';
import { WaitingRuns } from './waiting-runs.ts';

const opened: SharedWork[] = [];
afterEach(async () => {
  for (const work of opened.splice(0)) await work.close();
});

/** One process with two model servers, each named like its models. Servers in `full` have no free slot. */
function oneProcess({ free, full = [] }: { free: FreeRun[]; full?: string[] }) {
  const taken: string[] = [];
  const held: { runId: string; epoch: number }[] = [];
  const lost: string[] = [];
  const renewals: string[] = [];
  /** Called while the store renews leases. */
  const asked: (() => void)[] = [];
  const hostOf = ({ model }: { model: string }) => model;
  const store: RunLeases = {
    leaseMs: 3,
    free: async () => free.filter(({ id }) => !taken.includes(id)),
    claimFree: async (runId) => {
      taken.push(runId);
      return { epoch: 1, lastSeq: 1 };
    },
    renew: async () => {
      for (const meanwhile of asked.splice(0)) meanwhile();
      return renewals.splice(0);
    },
    release: async () => undefined,
  };
  const waiting = new WaitingRuns(hostOf);
  const work = new SharedWork({
    store,
    worker: 'here',
    concurrency: 1,
    hostOf,
    waiting,
    slots: { reserve: (_, host) => (full.includes(host) ? undefined : () => undefined) },
    runs: { held: () => held, lose: (runId) => lost.push(runId) },
    runner: { take: async () => undefined },
  });
  opened.push(work);
  return { work, waiting, taken, held, lost, renewals, asked, full };
}

function freeRun(id: string, model: string, more: Partial<FreeRun> = {}): FreeRun {
  return { id, model, stopRequested: false, endless: false, needsSlot: true, ...more };
}

it('takes free runs where there is a free slot, and lists the others as waiting', async () => {
  const { work, waiting, taken } = oneProcess({
    free: [freeRun('a', 'busy'), freeRun('b', 'idle'), freeRun('c', 'busy')],
    full: ['busy'],
  });
  work.start();
  await expect.poll(() => waiting.ids).toEqual(['a', 'c']);
  expect(taken).toEqual(['b']);
  expect(waiting.waitingFor('busy').map(({ id }) => id)).toEqual(['a', 'c']);
  expect(waiting.waitingFor('idle')).toEqual([]);
});

it('looks again when a slot becomes free', async () => {
  const { work, waiting, taken, full } = oneProcess({ free: [freeRun('a', 'busy')], full: ['busy'] });
  work.start();
  await expect.poll(() => waiting.ids).toEqual(['a']);
  full.pop();
  waiting.poke();
  await expect.poll(() => taken).toEqual(['a']);
});

it('takes runs that wait for a person or run tools without a slot', async () => {
  const busy = ['a', 'b', 'c', 'd'].map((id) => freeRun(id, 'busy'));
  const { work, waiting, taken } = oneProcess({
    free: [...busy, freeRun('e', 'busy', { needsSlot: false })],
    full: ['busy'],
  });
  work.start();
  await expect.poll(() => taken).toEqual(['e']);
  await expect.poll(() => waiting.ids).toEqual(['a', 'b', 'c', 'd']);
});

it('takes a stopped run without a slot: only its end is left to write', async () => {
  const { work, taken } = oneProcess({
    free: [freeRun('a', 'busy', { stopRequested: true })],
    full: ['busy'],
  });
  work.start();
  await expect.poll(() => taken).toEqual(['a']);
});

it('gives up a run that another process has claimed', async () => {
  const { work, held, lost, renewals } = oneProcess({ free: [] });
  held.push({ runId: 'a', epoch: 1 }, { runId: 'b', epoch: 1 });
  work.start();
  renewals.push('b', 'released meanwhile');
  await expect.poll(() => lost).toEqual(['b']);
});

it('does not claim a run that it works on, whose lease expired while it was suspended', async () => {
  const { work, waiting, held, taken } = oneProcess({
    free: [freeRun('a', 'idle', { needsSlot: false }), freeRun('b', 'busy')],
    full: ['busy'],
  });
  held.push({ runId: 'a', epoch: 1 });
  work.start();
  await expect.poll(() => waiting.ids).toEqual(['b']);
  expect(taken).toEqual([]);
});

it('keeps a run that it released and claimed again while its leases were being renewed', async () => {
  const { work, held, lost, renewals, asked } = oneProcess({ free: [] });
  held.push({ runId: 'a', epoch: 1 }, { runId: 'b', epoch: 1 });
  asked.push(() => held.splice(0, 1, { runId: 'a', epoch: 2 }));
  renewals.push('a', 'b');
  work.start();
  await expect.poll(() => lost).toEqual(['b']);
});

it('lets nothing else enter the slot for which a run is being claimed', async () => {
  const hostOf = () => 'host';
  const claimed = Promise.withResolvers<undefined>();
  const steps: string[] = [];
  const store: RunLeases & SlotLeases = {
    leaseMs: 1000,
    free: async () => (steps.includes('claimed') ? [] : [freeRun('a', 'busy')]),
    claimFree: async () => {
      steps.push('claiming');
      await claimed.promise;
      steps.push('claimed');
      return undefined;
    },
    renew: async () => [],
    release: async () => undefined,
    yieldSlot: async () => undefined,
    retakeSlot: async () => true,
    holdSlot: async () => {
      steps.push('check waits for a shared slot');
      return true;
    },
    dropSlot: async () => undefined,
  };
  const waiting = new WaitingRuns(hostOf);
  const slots = new HostSlots({
    ...{ processId: 'here', concurrency: 1, hostOf },
    runs: { get: () => undefined },
    closing: new AbortController().signal,
    shared: { store, waiting, hostOf },
  });
  const work = new SharedWork({
    ...{ store, worker: 'here', concurrency: 1, hostOf, waiting, slots },
    runs: { held: () => [], lose: () => undefined },
    runner: { take: async () => undefined },
  });
  opened.push(work);
  work.start();
  await expect.poll(() => steps).toEqual(['claiming']);
  const request = {
    id: 'check',
    purpose: 'check',
    model: 'busy',
    signal: new AbortController().signal,
  } as const;
  const check = slots.withSlot(request, async () => steps.push('checked'));
  await delay(20);
  claimed.resolve(undefined);
  await check;
  expect(steps).toEqual(['claiming', 'claimed', 'check waits for a shared slot', 'checked']);
});
