import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { summarizeRun } from '../api/summarize-run.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { HostSlots } from './host-slots.ts';
import { WaitingRuns } from './waiting-runs.ts';

it('counts the position of a run among those that wait for the same model server', () => {
  const hostOf = ({ model }: { model: string }) => model;
  const waiting = new WaitingRuns(hostOf);
  const store = {
    leaseMs: 1000,
    yieldSlot: async () => undefined,
    retakeSlot: async () => true,
    holdSlot: async () => true,
    dropSlot: async () => undefined,
  };
  const slots = new HostSlots({
    ...{ processId: 'here', concurrency: 1, hostOf },
    runs: { get: () => undefined },
    closing: new AbortController().signal,
    shared: { store, waiting, hostOf },
  });
  const free = { stopRequested: false, endless: false, needsSlot: true };
  waiting.replace(
    ['a east', 'b east', 'c west', 'd east', 'e west'].map((run) => {
      const [id = '', model = ''] = run.split(' ');
      return { id, model, ...free };
    }),
  );
  const positionOf = (runId: string, model: string) => {
    const { events } = new SampleLog({ runId, config: { model } });
    return slots.withPosition(summarizeRun(foldAll(emptyRunState(runId), events))).queue_position;
  };
  expect([positionOf('a', 'east'), positionOf('d', 'east')]).toEqual([1, 3]);
  expect([positionOf('c', 'west'), positionOf('e', 'west')]).toEqual([1, 2]);
  expect(positionOf('f', 'west')).toBeUndefined();
});

it('gives a shared slot back only after a renewal in progress', async () => {
  const steps: string[] = [];
  const renewed = Promise.withResolvers<boolean>();
  const hostOf = () => 'host';
  const slots = new HostSlots({
    ...{ processId: 'here', concurrency: 1, hostOf },
    runs: { get: () => undefined },
    closing: new AbortController().signal,
    shared: {
      store: {
        leaseMs: 3,
        yieldSlot: async () => undefined,
        retakeSlot: async () => true,
        holdSlot: async () => {
          steps.push('held');
          return steps.length === 1 || renewed.promise;
        },
        dropSlot: async () => {
          steps.push('dropped');
        },
      },
      waiting: new WaitingRuns(hostOf),
      hostOf,
    },
  });
  const use = { id: 'check', purpose: 'check', model: 'any', signal: new AbortController().signal } as const;
  const done = slots.withSlot(use, () => expect.poll(() => steps).toEqual(['held', 'held']));
  await expect.poll(() => steps).toEqual(['held', 'held']);
  await delay(20);
  expect(steps).toEqual(['held', 'held']);
  renewed.resolve(true);
  await done;
  expect(steps).toEqual(['held', 'held', 'dropped']);
});
