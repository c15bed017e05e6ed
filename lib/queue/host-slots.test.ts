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
