import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { placeEvents } from '../events/place-events.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { PendingAppends } from './pending-appends.ts';

const created = placeEvents(emptyRunState('run'), [{ type: 'run.created', config: sampleConfig() }], 1000);
const begun = foldAll(emptyRunState('run'), created);
const warned = (message: string): NewEvent => ({ type: 'policy.warned', code: 'test', message });
const messageOf = (event: RunEvent) => (event.type === 'policy.warned' ? event.message : undefined);

/** Events that another process appended after `state`. */
const elsewhere = (state: RunState, message: string) => placeEvents(state, [warned(message)], 2000);

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('take' as const) }),
  fc.record({ kind: fc.constant('commit' as const) }),
  fc.record({ kind: fc.constant('insert' as const) }),
);

it('keeps the order and numbers without gaps, whatever is added while a batch is written', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pending = new PendingAppends(begun, () => 3000);
      const disk: RunEvent[] = [...created];
      const own: string[] = [];
      const theirs: string[] = [];
      let batch: ReturnType<PendingAppends['batch']> | undefined;
      for (const [index, action] of steps.entries()) {
        if (action.kind === 'add') {
          const texts = Array.from({ length: action.count }, (_, n) => `own ${index}.${n}`);
          pending.add(() => texts.map(warned));
          own.push(...texts);
        } else if (action.kind === 'take') {
          batch = pending.batch();
        } else if (action.kind === 'commit' && batch) {
          disk.push(...batch.events);
          batch.commit();
          batch = undefined;
        } else if (action.kind === 'insert') {
          const events = elsewhere(pending.stored, `theirs ${index}`);
          theirs.push(`theirs ${index}`);
          disk.push(...events);
          pending.insert(events);
          batch = undefined; // its append was refused: the log had grown
        }
        expect(pending.stored).toEqual(foldAll(emptyRunState('run'), disk));
        expect(pending.latest).toEqual(foldAll(pending.stored, pending.batch().events));
      }
      disk.push(...pending.batch().events);
      expect(disk.map(({ seq }) => seq)).toEqual(disk.map((_, index) => index + 1));
      const messages = disk.slice(1).map(messageOf);
      expect(messages.filter((text) => text?.startsWith('own'))).toEqual(own);
      expect(messages.filter((text) => text?.startsWith('theirs'))).toEqual(theirs);
    }),
  );
});

it('decides again what to append when other events come first', async () => {
  const pending = new PendingAppends(begun, () => 3000);
  pending.add((state) => (state.seq === 1 ? [warned('first')] : []));
  const settled = pending.settled();
  pending.insert(elsewhere(begun, 'theirs'));
  await settled;
  expect(pending.isEmpty).toBe(true);
  expect(pending.latest.seq).toBe(2);
});

it('leaves out only an optional append that no longer fits, and says why', async () => {
  const pending = new PendingAppends(begun, () => 3000);
  const choose = (state: RunState) => {
    if (state.seq > 1) throw new Error('too late');
    return [warned('optional')];
  };
  pending.add(choose, { isOptional: true });
  const optional = pending.settled();
  pending.add(() => [warned('kept')]);
  pending.insert(elsewhere(begun, 'theirs'));
  await expect(optional).rejects.toThrow('too late');
  expect(pending.batch().events.map(messageOf)).toEqual(['kept']);

  pending.add(() => {
    if (pending.stored.seq > 2) throw new Error('does not fit');
    return [warned('needed too')];
  });
  expect(() => pending.insert(elsewhere(pending.stored, 'more'))).toThrow('does not fit');
});

it('returns to the stored state when pending appends are dropped', async () => {
  const pending = new PendingAppends(begun, () => 3000);
  pending.add(() => [warned('lost')]);
  const settled = pending.settled();
  pending.drop(new Error('no disk'));
  await expect(settled).rejects.toThrow('no disk');
  expect(pending.latest).toBe(begun);
});

it('adds nothing when the fold refuses an event', () => {
  const pending = new PendingAppends(begun, () => 3000);
  const unknown: NewEvent = {
    type: 'tool-call.ended',
    call_id: 'c1',
    tool: 'x',
    result: { success: true, tool: 'x', output: null },
    duration_ms: 1,
  };
  expect(() => pending.add(() => [warned('first'), unknown])).toThrow(/call that is in no reply/);
  expect(pending.isEmpty).toBe(true);
});
